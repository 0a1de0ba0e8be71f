/** What is done with the source of a language. Apart from `source-schema.ts`, because it names types of the parser. */
import type { Grammars, Node } from "./grammars.ts";
import type { ToolFunction } from "./source-schema.ts";

export interface LanguageReader {
  /** The one that is named, else the one that is meant by the rules of the language. Throws where there is none. */
  getFunction(root: Node, source: string, name: string | undefined, grammars: Grammars): ToolFunction;
  listNames(root: Node): string[];
}
