/** Brackets and texts without an end. They put a grammar off far from where they began, so they are looked for apart. */

const closings: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const isOpenComment = (mark: string): boolean => mark.startsWith("/*") && (mark.length < 4 || !mark.endsWith("*/"));

/** `marks` matches comments and whole texts, which are stepped over, quotes and `/*` that nothing closes, and brackets. */
export function findUnclosed(source: string, marks: RegExp): [problem: string, line: number] | undefined {
  const open: [mark: string, at: number][] = [];
  const lineAt = (at: number) => source.slice(0, at).split("\n").length;
  for (const { 0: mark, index } of source.matchAll(marks)) {
    if (/^("""|'''|["'`])$/.test(mark)) return [`a text that begins with ${mark} is never closed`, lineAt(index)];
    if (isOpenComment(mark)) return ["a comment that begins with /* is never closed", lineAt(index)];
    if (mark in closings) open.push([mark, index]);
    if (!/^[)\]}]$/.test(mark)) continue;
    const [opening] = open.pop() ?? [];
    if (opening === undefined) return [`"${mark}" closes nothing that was opened`, lineAt(index)];
    if (closings[opening] !== mark) return [`"${mark}" stands where "${closings[opening]}" should`, lineAt(index)];
  }
  const unclosed = open.at(-1);
  return unclosed && [`"${unclosed[0]}" is never closed`, lineAt(unclosed[1])];
}
