/**
 * Reads source into syntax trees. The parser and its grammars are WebAssembly files beside this one (the build copies
 * them beside what it makes of it); they are loaded when the first source is to be read.
 */
import { readFile } from "node:fs/promises";
import type { Node, Tree } from "web-tree-sitter";
import { sourceError } from "./source-error.ts";
import type { SourceLanguage } from "./source-language.ts";

export type { Node } from "web-tree-sitter";

export interface Grammars {
  /** The tree is there while `read` runs, and no longer. */
  readTree<T>(language: SourceLanguage, source: string, read: (root: Node) => T): T;
}

let loading: Promise<Grammars> | undefined;

export function loadGrammars(): Promise<Grammars> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

const readWasm = (name: string) => readFile(new URL(`./grammars/${name}.wasm`, import.meta.url));

async function load(): Promise<Grammars> {
  const { Language, Parser } = await import("web-tree-sitter");
  const [program, ...grammars] = await Promise.all(
    ["web-tree-sitter", "tree-sitter-python", "tree-sitter-typescript"].map(readWasm),
  );
  await Parser.init({ wasmBinary: program });
  const [python, typescript] = await Promise.all(grammars.map((grammar) => Language.load(grammar)));
  const languages = { python, typescript };
  const parser = new Parser();
  const parse = (language: SourceLanguage, source: string): Tree => {
    let steps = 0;
    const deadline = performance.now() + maxMs;
    const isEnough = () => ++steps > maxSteps || performance.now() > deadline;
    const tree = parser.setLanguage(languages[language] ?? null).parse(source, null, { progressCallback: isEnough });
    if (tree) return tree;
    parser.reset();
    throw sourceError("the source is too complicated to be read: shorten it, or send json_schema");
  };
  return {
    readTree(language, source, read) {
      const tree = parse(language, source);
      try {
        return read(tree.rootNode);
      } finally {
        tree.delete();
      }
    },
  };
}

/** What the parser does between two questions whether to go on is a step; 500,000 odd characters take about 35,000. */
const maxSteps = 200_000;
/** For what no step gets on with: everybody waits meanwhile. A tool of 2,000 lines takes about 25. */
const maxMs = 1_000;
