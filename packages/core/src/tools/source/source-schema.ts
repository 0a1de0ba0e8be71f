/** What a tool's source says of it, whichever language it is written in. */
import type { JsonObject } from "../../shared/json.ts";

export interface SourceSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** The function of a source that is the tool. */
export interface ToolFunction {
  readonly name: string;
  /** What its comment says; nothing where there is none. */
  readonly description: string | undefined;
  /** Throws where the source does not say enough. */
  describe(): SourceSchema;
}

/** What is said of a function that says nothing of itself. */
export const stockDescription = (name: string): string => `Runs the function ${name}.`;
