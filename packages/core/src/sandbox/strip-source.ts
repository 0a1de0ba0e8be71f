/** TypeScript to JavaScript, on a thread: see strip-types.ts. */
import { stripTypeScriptTypes } from "node:module";

/** The result; one of the two fields is set. */
export interface Stripped {
  readonly code?: string;
  /** The parser's message for invalid TypeScript. */
  readonly fault?: string;
}

/** Throws if the parser itself failed. */
export function stripSource(source: string): Stripped {
  try {
    return { code: strip(source) };
  } catch (error) {
    if (!String((error as { code?: unknown }).code).endsWith("_TYPESCRIPT_SYNTAX")) throw error;
    return { fault: (error as Error).message };
  }
}

function strip(source: string): string {
  try {
    return stripTypeScriptTypes(source, { mode: "strip" });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw error;
    return stripTypeScriptTypes(source, { mode: "transform" });
  }
}
