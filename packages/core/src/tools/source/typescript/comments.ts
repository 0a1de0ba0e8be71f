/** What a TSDoc comment says of what stands below it. */
import type { Node } from "../grammars.ts";

export interface Comment {
  readonly description: string;
  /** By the names of parameters; `options.city` stands for a property of one. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The comment right above, if there is one. */
export function findComment(node: Node): Comment | undefined {
  const before = node.previousNamedSibling;
  return before?.type === "comment" && before.text.startsWith("/**") ? readComment(before.text) : undefined;
}

export function readComment(written: string): Comment {
  const lines = written
    .replace(/^\/\*+/, "")
    .replace(/\*+\/$/, "")
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  const [prose = [], ...tags] = splitAtTags(lines);
  return { description: joinLines(prose), parameters: new Map(tags.flatMap(readParameter)) };
}

/** The lines before the first tag, then those of each tag. */
function splitAtTags(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const line of lines) {
    if (/^\s*@\w/.test(line)) parts.push([]);
    parts.at(-1)?.push(line.trim());
  }
  return parts;
}

/** Lines are broken where the page ends; an empty one means something. */
function joinLines(lines: readonly string[]): string {
  return lines
    .join("\n")
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll("\n", " "))
    .join("\n\n");
}

const parameter = /^@(?:param|arg|argument)\s+(?:\{[^}]*\}\s*)?\[?([\w$.]+)(?:=[^\]]*)?\]?\s*(?:-\s*)?([\s\S]*)$/;

function readParameter(lines: readonly string[]): [string, string][] {
  const [whole, name = "", text = ""] = parameter.exec(joinLines(lines)) ?? [];
  return whole === undefined ? [] : [[name, text.trim()]];
}
