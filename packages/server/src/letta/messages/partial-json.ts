/**
 * Reads text arguments out of the JSON of a call while it is being written. Each character is read once, since a call
 * of 16 MB comes in thousands of deltas.
 */

export interface ArgumentReader {
  /** By how much each of the arguments grew; an unfinished escape waits for its end. */
  add(json: string): ReadonlyMap<string, string>;
  /** True when the object has been closed. */
  isClosed(): boolean;
}

/** Reads the arguments with these names, as far as they are texts; of two with one name it reads the first. */
export function createArgumentReader(names: readonly string[]): ArgumentReader {
  const wanted = new Set(names);
  let depth = 0;
  let isClosed = false;
  let next: "key" | "value" | undefined;
  let inside: "key" | "value" | "other" | undefined;
  let key = "";
  let held = "";
  let grown = new Map<string, string>();

  function readMark(mark: string | undefined): void {
    if (mark === '"') startText();
    else if (mark === "{" || mark === "[") next = ++depth === 1 && mark === "{" ? "key" : undefined;
    else if (mark === "}" || mark === "]") isClosed ||= --depth <= 0;
    else if (depth === 1 && mark === ",") next = "key";
    else if (depth === 1 && mark === ":") next = "value";
  }

  function startText(): void {
    inside = next === "key" || (next === "value" && wanted.delete(key)) ? next : "other";
    if (inside === "key") key = "";
    next = undefined;
  }

  function addText(raw: string): void {
    if (inside === "other" || raw === "") return;
    const text = parseText(raw);
    if (text === undefined) inside = "other";
    else if (inside === "key") key += text;
    else grown.set(key, (grown.get(key) ?? "") + text);
  }

  return {
    add(json) {
      grown = new Map();
      const text = held + json;
      held = "";
      for (let at = 0; at < text.length && !isClosed; at++) {
        if (inside === undefined) {
          readMark(text[at]);
          continue;
        }
        const end = findEnd(text, at);
        addText(text.slice(at, end));
        if (text[end] === '"') inside = undefined;
        else held = text.slice(end);
        at = text[end] === '"' ? end : text.length;
      }
      return grown;
    },
    isClosed: () => isClosed,
  };
}

/** Where a text ends, with its quote or before an escape that is not whole yet; half a surrogate pair is not whole. */
function findEnd(text: string, start: number): number {
  let end = start;
  let last = -1;
  let beforeLast = -1;
  while (end < text.length && text[end] !== '"') {
    const isEscape = text[end] === "\\";
    if (isEscape) [beforeLast, last] = [last, end];
    end += isEscape ? 2 : 1;
  }
  if (text[end] === '"') return end;
  if (last < 0 || text.length - last > openEscape) return text.length;
  const tail = text.slice(last);
  if (highSurrogate.test(tail)) return last;
  if (!/^\\(?:u[0-9a-fA-F]{0,3})?$/.test(tail)) return text.length;
  return beforeLast >= 0 && highSurrogate.test(text.slice(beforeLast, last)) ? beforeLast : last;
}

const openEscape = "\\u0000".length;
const highSurrogate = /^\\u[dD][89abAB][0-9a-fA-F]{2}$/;

function parseText(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}
