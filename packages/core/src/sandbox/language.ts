/** The languages that sandboxes can run. */
export type SandboxLanguage = "python" | "typescript";
