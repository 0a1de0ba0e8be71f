/** Whether a tool's function takes arguments that no schema can name: `**kwargs` in Python, `...rest` in TypeScript. */
import type { Tool } from "../store/tools/tools.ts";

export function takesAnyArguments({ name, source }: Pick<Tool, "name" | "source">): boolean {
  if (source === null || !/\*\*|\.\.\./.test(source) || !/^\w+$/.test(name)) return false;
  const head = new RegExp(
    `\\b(?:def|function)\\s{1,20}${name}\\b[^(]{0,200}\\(|\\b${name}\\s{0,20}=[^(]{0,200}\\(`,
  ).exec(source);
  // The function of an older tool may have another name than the tool.
  if (!head) return true;
  return /\*\*\s*\w|\.\.\.\s*\w/.test(readParameterList(source, head.index + head[0].length));
}

/** The text up to the parenthesis that closes the list. */
function readParameterList(source: string, start: number): string {
  let depth = 1;
  const marks = /[([{]|[)\]}]|"[^"\n]*"|'[^'\n]*'/g;
  marks.lastIndex = start;
  for (let mark = marks.exec(source); mark; mark = marks.exec(source)) {
    if ("([{".includes(mark[0])) depth += 1;
    else if (")]}".includes(mark[0])) depth -= 1;
    if (depth === 0) return source.slice(start, mark.index);
  }
  return source.slice(start);
}
