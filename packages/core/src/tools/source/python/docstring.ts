/** What a docstring says of a function and its parameters, in any of the usual styles. */

export interface Docstring {
  readonly description: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export function readDocstring(text: string): Docstring {
  const lines = cleanLines(text);
  const parameters = new Map([...readFields(lines), ...readUnderlined(lines), ...readSections(lines)]);
  return { description: readDescription(lines, text), parameters };
}

/** The white space that all lines but the first share stands for nothing. */
function cleanLines(text: string): string[] {
  const [first = "", ...rest] = text.replaceAll("\t", "        ").split(/\r?\n/);
  const indents = rest.filter((line) => line.trim() !== "").map(indentOf);
  const margin = indents.reduce((least, indent) => Math.min(least, indent), indents[0] ?? 0);
  return [first.trimStart(), ...rest.map((line) => line.slice(margin))].map((line) => line.trimEnd());
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

const argumentHeadings = "args|arguments|parameters|params|keyword args|keyword arguments|other parameters";
const otherHeadings = "returns?|raises|yields?|attributes|notes?|see also|references|warnings?|warns|todo|examples?";
const heading = new RegExp(`^(?:${argumentHeadings}|${otherHeadings})\\s*:?$`, "i");
const argumentHeading = new RegExp(`^(?:${argumentHeadings})\\s*:?$`, "i");
const field = /^[:@](param|parameter|arg|argument|key|keyword|type|raises?|returns?|rtype|return)\b([^:]*):(.*)$/s;

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

/** As they are written, with their indentation, up to what is not theirs any more. */
function readExamples(text: string): string {
  const lines = text.split(/\r?\n/);
  const isRuled = (at: number) => isUnderline(lines[at + 1]?.trim());
  const begin = lines.findIndex((line, at) => /^\s*Examples(:?)\s*$/.exec(line)?.[1] === (isRuled(at) ? "" : ":"));
  if (begin === -1) return "";
  const depth = indentOf(lines[begin] ?? "");
  const isEnd = (at: number) => lines[at]?.trim() !== "" && indentOf(lines[at] ?? "") <= depth;
  const body = isRuled(begin) ? takeLines(lines, begin + 2, isRuled) : takeLines(lines, begin + 1, isEnd);
  return [...lines.slice(begin, isRuled(begin) ? begin + 2 : begin + 1), ...body].join("\n").trim();
}

/** `Args:` and, indented, `name (type): text`; more lines of the text stand further in. */
function readSections(lines: readonly string[]): [string, string][] {
  return lines.flatMap((line, index) => {
    if (!argumentHeading.test(line) || !line.endsWith(":")) return [];
    const section = takeLines(lines, index + 1, (at) => lines[at] !== "" && indentOf(lines[at] ?? "") === 0);
    const depth = indentOf(section.find((each) => each !== "") ?? "");
    return readItems(section, (each) => (indentOf(each) === depth ? readItem(each.trimStart()) : undefined));
  });
}

/** The first line of what is said of one name, or of several with commas between them. */
interface Item {
  readonly names: string;
  readonly text: string;
}

const itemName = /^\*{0,2}[\p{L}_][\p{L}\p{N}_]*/u;

function readItem(line: string): Item | undefined {
  const name = itemName.exec(line)?.[0];
  if (name === undefined) return undefined;
  const rest = line.slice(name.length).trimStart();
  const end = rest.startsWith("(") ? findBracketEnd(rest) : 0;
  const said = end === undefined ? "" : rest.slice(end).trimStart();
  return said.startsWith(":") ? { names: name, text: said.slice(1) } : undefined;
}

/** The place after the bracket that closes the first one: types have brackets of their own. */
function findBracketEnd(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at + 1;
  }
  return undefined;
}

/** `:param name: text`, `:param type name: text` and the same with an at sign. */
function readFields(lines: readonly string[]): [string, string][] {
  const isItem = (line: string): Item | undefined => {
    const [whole, kind = "", words = "", text = ""] = field.exec(line.trim()) ?? [];
    if (whole === undefined) return undefined;
    const isArgument = /^(param|parameter|arg|argument|key|keyword)$/.test(kind);
    return { names: isArgument ? (words.trim().split(/\s+/).at(-1) ?? "") : "", text };
  };
  const begin = lines.findIndex((line) => field.test(line.trim()));
  return begin === -1 ? [] : readItems(lines.slice(begin), isItem).filter(([name]) => name !== "");
}

/** A heading with a line under it, `name : type` or `one, other : type`, and the text below, indented. */
function readUnderlined(lines: readonly string[]): [string, string][] {
  return lines.flatMap((line, index) => {
    if (!argumentHeading.test(line) || !isUnderline(lines[index + 1])) return [];
    const section = takeLines(lines, index + 2, (at) => isUnderline(lines[at + 1]));
    return readItems(section, (each) =>
      names.test(each) ? { names: each.split(":", 1)[0] ?? "", text: "" } : undefined,
    );
  });
}

const names = /^\*{0,2}[\p{L}_][\p{L}\p{N}_]*(?:,\s*\*{0,2}[\p{L}_][\p{L}\p{N}_]*)*\s*(?::|$)/u;

/** From one line on, until another that begins something else. */
function takeLines(lines: readonly string[], from: number, isEnd: (at: number) => boolean): readonly string[] {
  let end = from;
  while (end < lines.length && !isEnd(end)) end++;
  return lines.slice(from, end);
}

/** Each line that `match` knows begins an item; the lines after it go on with its text. */
function readItems(lines: readonly string[], match: (line: string) => Item | undefined): [string, string][] {
  const items: [names: string, text: string[]][] = [];
  for (const line of lines) {
    const found = match(line);
    if (found) items.push([found.names, [found.text]]);
    else items.at(-1)?.[1].push(line.trim());
  }
  return items.flatMap(([written, text]) =>
    written.split(",").map((name): [string, string] => [name.trim().replace(/^\*+/, ""), text.join("\n").trim()]),
  );
}
