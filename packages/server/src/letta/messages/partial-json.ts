/** Reads what is there already of a text inside JSON that is still being written. */

/** Undefined until the argument has begun; what follows an unfinished escape waits for its end. */
export function readPartialText(json: string, argument: string): string | undefined {
  const lead = new RegExp(`[{,]\\s*"${argument.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}"\\s*:\\s*"`).exec(json);
  if (!lead) return undefined;
  const start = lead.index + lead[0].length;
  let end = start;
  while (end < json.length && json[end] !== '"') end += json[end] === "\\" ? 2 : 1;
  const isWhole = json[end] === '"';
  const raw = isWhole ? json.slice(start, end) : withoutOpenEscape(json.slice(start));
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

/** A backslash, or the beginning of a \u escape, at the end is not a character yet; nor is half a pair. */
function withoutOpenEscape(text: string): string {
  return text
    .replace(/(?<!\\)((?:\\\\)*)\\(u[0-9a-fA-F]{0,3})?$/, "$1")
    .replace(/(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}$/, "$1");
}
