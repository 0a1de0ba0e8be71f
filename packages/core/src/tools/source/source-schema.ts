/** What a tool's source says of it, whichever language it is written in. */
import type { JsonObject } from "../../json.ts";
import type { Grammars, Node } from "./grammars.ts";

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

export interface LanguageReader {
  /** The one that is named, else the one that is meant by the rules of the language. Throws where there is none. */
  getFunction(root: Node, source: string, name: string | undefined, grammars: Grammars): ToolFunction;
  listNames(root: Node): string[];
}

/** What is said of a function that says nothing of itself. */
export const stockDescription = (name: string): string => `Runs the function ${name}.`;
