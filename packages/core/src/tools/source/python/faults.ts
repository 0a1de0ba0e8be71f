/** Refuses Python source that Python would refuse, with the line and what is wrong there. */
import type { Node } from "../grammars.ts";
import { findFault, lineOf, partsOf, shorten } from "../nodes.ts";
import { sourceError } from "../source-error.ts";
import { findUnclosed } from "../unclosed.ts";

export function rejectFaults(root: Node, source: string): void {
  const fault = findFault(root);
  if (fault) throw explain(fault, source);
  rejectOddBlocks(root, source.split("\n"), 0);
}

function explain(fault: Node, source: string): Error {
  const [text, line] = findUnclosed(source, marks) ?? describe(fault);
  return sourceError(`${text}: correct it, or send json_schema`, line);
}

function describe(fault: Node): [text: string, line: number] {
  const line = lineOf(fault);
  if (fault.isMissing) return [`"${shorten(fault.type)}" is missing`, line];
  const head = /^(?:async\s+)?(?:def)\s+(\w+)/.exec(fault.text)?.[1];
  if (head !== undefined) return [`the head of the function "${head}" is not complete`, line];
  const shown = shorten(fault.text.split("\n", 1)[0] ?? "");
  return [shown === "" ? "this is no Python" : `"${shown}" is no Python`, line];
}

/** Comments and whole texts are stepped over; what is left of quotes was never closed. */
const marks =
  /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[^\\])*\1|"""|'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|["'()[\]{}]/g;

const compound =
  /^(block|decorated_definition|(function|class)_definition|(if|for|while|try|with|match)_statement|(elif|else|except|except_group|finally|case)_clause)$/;

/** The grammar is patient with white space, and with the Python of old; Python is not. */
function rejectOddBlocks(node: Node, lines: readonly string[], depth: number): void {
  if (depth > 300) throw sourceError("blocks are nested too deeply", lineOf(node));
  const parts = partsOf(node);
  const isBlock = node.type === "block" || node.type === "module";
  if (node.type === "block" && parts.length === 0) {
    throw sourceError(
      "nothing is indented below this line: write there what belongs to it, or pass",
      lineOf(node.parent ?? node),
    );
  }
  let margin = node.type === "module" ? "" : undefined;
  for (const part of parts) {
    const { type } = part;
    if (isBlock) margin = checkMargin(part, margin, lines);
    if (type === "print_statement" || type === "exec_statement") {
      throw sourceError(`${type.slice(0, type.indexOf("_"))} needs brackets around what follows it`, lineOf(part));
    }
    if (compound.test(type)) rejectOddBlocks(part, lines, depth + 1);
  }
}

/** Statements of one block begin with the same white space; those behind others on their line with any. */
function checkMargin(statement: Node, margin: string | undefined, lines: readonly string[]): string | undefined {
  const { row, column } = statement.startPosition;
  const before = lines[row]?.slice(0, column) ?? "";
  if (!/^[ \t\f]*$/.test(before)) return margin;
  const white = before.replaceAll("\f", "");
  if (margin === undefined || margin === white) return white;
  const remedy = margin === "" ? "remove the white space before it" : "indent it like the line above it";
  throw sourceError(`this line is not indented like the others of its block: ${remedy}`, row + 1);
}
