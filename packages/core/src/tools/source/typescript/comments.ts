/** What a TSDoc comment says of what stands below it. */
import { trimEndOf } from "../../../shared/trim.ts";
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
  const body = written.replace(/^\/\*+/, "");
  const text = body.endsWith("/") ? trimEndOf(body.slice(0, -1), /\*/) : body;
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
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

/** `@param {type} [name=default] - text`; all but the name may be left out. */
const parameter = /^@(?:param|arg|argument)\s+(?:\{[^}]*\}\s*)?\[?([\w$.]+)(?:=[^\]]*)?\]?/;

function readParameter(lines: readonly string[]): [string, string][] {
  const text = joinLines(lines);
  const [whole, name = ""] = parameter.exec(text) ?? [];
  return whole === undefined ? [] : [[name, text.slice(whole.length).trimStart().replace(/^-/, "").trim()]];
}
