/** The languages that sandboxes speak. */
export type SandboxLanguage = "python" | "typescript";
