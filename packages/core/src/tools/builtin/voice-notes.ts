/** Said by every tool of voice agents: their rows exist so that such agents can be imported, listed and exported. */
export const sessionOnly = "Works within a live voice session only; anywhere else the call comes back as an error.";
