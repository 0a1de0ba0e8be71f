/** Learns from a tool's source what a model has to know to call it. The source is read, never run. */
import type { JsonObject } from "../../shared/json.ts";
import { loadGrammars } from "./grammars.ts";
import type { LanguageReader } from "./language-reader.ts";
import { pythonReader } from "./python/describe.ts";
import { inlineReferences } from "./references.ts";
import { sourceError } from "./source-error.ts";
import type { SourceLanguage } from "./source-language.ts";
import { type SourceSchema, stockDescription } from "./source-schema.ts";
import { typescriptReader } from "./typescript/describe.ts";

export interface DescribeOptions {
  /** Which function is meant, where the source has several. */
  readonly name?: string;
  /** The schema of the arguments; the function's own parameters are then not looked at. */
  readonly argsSchema?: JsonObject;
}

/** Can do without waiting, so also where nothing may be waited for. */
export interface SourceReader {
  /** Throws with what is missing, and where, when the source does not say enough. */
  describe(language: SourceLanguage, source: string, options?: DescribeOptions): SourceSchema;
  /** Whether the source has a function of this name where a tool's function stands. */
  hasFunction(language: SourceLanguage, source: string, name: string): boolean;
}

const readers: Readonly<Record<SourceLanguage, LanguageReader>> = {
  python: pythonReader,
  typescript: typescriptReader,
};

export async function loadSourceReader(): Promise<SourceReader> {
  const grammars = await loadGrammars();
  return {
    describe: (language, source, { name, argsSchema } = {}) =>
      grammars.readTree(language, source, (root) => {
        const found = readers[language].getFunction(root, source, name, grammars);
        if (!argsSchema) return found.describe();
        const description = found.description || stockDescription(found.name);
        const refuse = (problem: string) => sourceError(`args_json_schema ${problem}`);
        return { name: found.name, description, parameters: inlineReferences(argsSchema, refuse) };
      }),
    hasFunction: (language, source, name) =>
      grammars.readTree(language, source, (root) => readers[language].listNames(root).includes(name)),
  };
}

export async function describeSource(
  language: SourceLanguage,
  source: string,
  options: DescribeOptions = {},
): Promise<SourceSchema> {
  return (await loadSourceReader()).describe(language, source, options);
}
