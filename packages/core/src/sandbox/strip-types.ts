/**
 * TypeScript to JavaScript. Types are blanked out where that is enough, so that lines and columns stay; what needs code,
 * as enums do, is transformed. Results are kept: the same tool is called again and again.
 */
import { stripTypeScriptTypes } from "node:module";

const known = new Map<string, string>();
const mostKnown = 200;

/** Throws a SyntaxError that names what cannot be read. */
export function stripTypes(source: string): string {
  const stripped = known.get(source) ?? quietly(() => strip(source));
  if (known.size >= mostKnown) known.clear();
  known.set(source, stripped);
  return stripped;
}

function strip(source: string): string {
  try {
    return stripTypeScriptTypes(source, { mode: "strip" });
  } catch (error) {
    const isUnsupported = error instanceof Error && "code" in error && error.code === unsupported;
    if (!isUnsupported) throw error;
    return stripTypeScriptTypes(source, { mode: "transform" });
  }
}

const unsupported = "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";

/** Node warns on the first use that the function may change; the versions we run on are pinned. */
function quietly<R>(work: () => R): R {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
