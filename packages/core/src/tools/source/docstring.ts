/** What a docstring says of a function and its parameters, in any of the usual styles. */

export interface Docstring {
  readonly description: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export function readDocstring(text: string): Docstring {
  const lines = cleanLines(text);
  const parameters = new Map([...readFields(lines), ...readUnderlined(lines), ...readSection(lines)]);
  return { description: readDescription(lines, text), parameters };
}

/** The white space that all lines but the first share stands for nothing. */
function cleanLines(text: string): string[] {
  const [first = "", ...rest] = text.replaceAll("\t", "        ").split(/\r?\n/);
  const indents = rest.filter((line) => line.trim() !== "").map(indentOf);
  const margin = indents.length === 0 ? 0 : Math.min(...indents);
  return [first.trimStart(), ...rest.map((line) => line.slice(margin))].map((line) => line.trimEnd());
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

const headings =
  "args|arguments|parameters|params|returns?|raises|yields?|attributes|notes?|see also|references|warnings?|warns|todo";
const heading = new RegExp(`^(?:${headings}|examples?)\\s*:?$`, "i");
const field = /^[:@](param|parameter|arg|argument|key|keyword|type|raises?|returns?|rtype|return)\b([^:]*):\s*(.*)$/;

const isHeading = (line: string): boolean => indentOf(line) === 0 && heading.test(line);
const isUnderline = (line: string | undefined): boolean => /^-{3,}$/.test(line ?? "");

/** The first line, then whatever stands before the sections; examples help a model, so they come along. */
function readDescription(lines: readonly string[], text: string): string {
  const isSection = (line: string, index: number) =>
    (isHeading(line) && (line.endsWith(":") || isUnderline(lines[index + 1]))) || field.test(line);
  const end = lines.findIndex(isSection);
  const prose = lines.slice(0, end === -1 ? lines.length : end);
  const begin = prose.findIndex((line) => line !== "");
  const [short = "", ...long] = begin === -1 ? [] : prose.slice(begin);
  return [short, long.join("\n").trim(), readExamples(text)].filter((part) => part.trim() !== "").join("\n\n");
}

/** As they are written, with their indentation. */
function readExamples(text: string): string {
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => /^\s*Examples:\s*$/.test(line));
  if (begin === -1) return "";
  const depth = indentOf(lines[begin] ?? "");
  const length = lines.slice(begin + 1).findIndex((line) => line.trim() !== "" && indentOf(line) <= depth);
  const section = length === -1 ? lines.slice(begin) : lines.slice(begin, begin + 1 + length);
  return section.join("\n").trim();
}

/** `Args:` and, indented, `name (type): text`; more lines of the text stand further in. */
function readSection(lines: readonly string[]): [string, string][] {
  const begin = lines.findIndex((line) => /^(args|arguments|parameters|params)\s*:$/i.test(line));
  if (begin === -1) return [];
  const rest = lines.slice(begin + 1);
  const length = rest.findIndex((line) => line !== "" && indentOf(line) === 0);
  const section = length === -1 ? rest : rest.slice(0, length);
  const depth = Math.min(...section.filter((line) => line !== "").map(indentOf));
  const item = /^\s*(\*{0,2}[\p{L}_][\p{L}\p{N}_]*)\s*(?:\([^)]*\))?\s*:\s?(.*)$/u;
  return readItems(section, (line) => (indentOf(line) === depth ? item.exec(line) : null));
}

/** `:param name: text`, `:param type name: text` and the same with an at sign. */
function readFields(lines: readonly string[]): [string, string][] {
  const isItem = (line: string): RegExpExecArray | null => {
    const [whole, kind = "", words = "", text = ""] = field.exec(line.trim()) ?? [];
    if (whole === undefined) return null;
    const name = /^(param|parameter|arg|argument|key|keyword)$/.test(kind)
      ? (words.trim().split(/\s+/).at(-1) ?? "")
      : "";
    return [whole, name, text] as unknown as RegExpExecArray;
  };
  const begin = lines.findIndex((line) => field.test(line.trim()));
  return begin === -1 ? [] : readItems(lines.slice(begin), isItem).filter(([name]) => name !== "");
}

/** A heading with a line under it, `name : type`, and the text below, indented. */
function readUnderlined(lines: readonly string[]): [string, string][] {
  const begin = lines.findIndex((line, index) => /^parameters$/i.test(line) && isUnderline(lines[index + 1]));
  if (begin === -1) return [];
  const rest = lines.slice(begin + 2);
  const length = rest.findIndex((_, index) => isUnderline(rest[index + 1]));
  const section = length === -1 ? rest : rest.slice(0, length);
  return readItems(section, (line) => /^([\p{L}_][\p{L}\p{N}_]*)(?:\s*:.*)?()$/u.exec(line));
}

/** Each line that `match` knows begins an item; the lines after it go on with its text. */
function readItems(lines: readonly string[], match: (line: string) => RegExpExecArray | null): [string, string][] {
  const items: [name: string, text: string[]][] = [];
  for (const line of lines) {
    const found = match(line);
    if (found) items.push([(found[1] ?? "").replace(/^\*+/, ""), [found[2] ?? ""]]);
    else items.at(-1)?.[1].push(line.trim());
  }
  return items.map(([name, text]) => [name, text.join("\n").trim()]);
}
