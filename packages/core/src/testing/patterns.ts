/**
 * The regular expressions of the source, and which of them take more than linear time on some text. `scslre` finds
 * quantifiers that trade characters (`\s*\/?\s*`), repeat themselves (`(a+)+`) or are tried from every start (`\s+$`);
 * `findRestart` adds beginnings of several characters, such as `/\*[\s\S]*?\*\/`, which are tried again at each `/*`.
 */
import { type ESTree, Visitor } from "rolldown/utils";
import { analyse } from "scslre";
import type { SourceFile } from "./sources.ts";

export interface FoundPattern {
  readonly path: string;
  readonly text: string;
}

export function listPatterns({ path, program }: SourceFile): FoundPattern[] {
  const found: FoundPattern[] = [];
  new Visitor({
    Literal: (node) => {
      if ("regex" in node && node.regex) found.push({ path, text: `/${node.regex.pattern}/${node.regex.flags}` });
    },
  }).visit(program);
  return found;
}

/** Expressions whose text is put together at run time, and so cannot be judged here. */
export function listBuiltPatterns({ path, program, code }: SourceFile): FoundPattern[] {
  const found: FoundPattern[] = [];
  const add = (node: ESTree.NewExpression | ESTree.CallExpression) => {
    const isBuilt = node.callee.type === "Identifier" && node.callee.name === "RegExp";
    if (isBuilt) found.push({ path, text: code.slice(node.start, node.end) });
  };
  new Visitor({ NewExpression: add, CallExpression: add }).visit(program);
  return found;
}

/** Why the pattern is slow on some text; undefined when it is linear. */
export function findSlowness(text: string): string | undefined {
  const end = text.lastIndexOf("/");
  const literal = { source: text.slice(1, end), flags: text.slice(end + 1) };
  const { parsed, reports } = analyse(literal, { reportTypes: { Move: true, Self: true, Trade: true } });
  const [report] = reports;
  if (report) return `${report.type} of ${report.character.literal.source}${report.exponential ? ", exponential" : ""}`;
  if (literal.flags.includes("y")) return undefined;
  return parsed.pattern.alternatives
    .map(({ elements }) => findRestart(elements, literal.flags.replace("g", "")))
    .find((found) => found !== undefined);
}

type Pattern = ReturnType<typeof analyse>["parsed"]["pattern"];
type Element = Pattern["alternatives"][number]["elements"][number];

/** A repetition that can hold the pattern's own beginning, with something after it that can fail. */
function findRestart(elements: readonly Element[], flags: string): string | undefined {
  const [first] = elements;
  if (first?.type === "Assertion" && (first.kind === "start" || first.kind === "lookbehind")) return undefined;
  for (const [at, repeated] of elements.entries()) {
    const beginning = elements.slice(0, at).map(writeSample).join("");
    if (!isUnbounded(repeated) || beginning === "" || !elements.slice(at + 1).some(canFail)) continue;
    if (canHold(repeated, beginning, flags)) return `${repeated.raw} begins again at each ${JSON.stringify(beginning)}`;
  }
  return undefined;
}

/** A beginning with \b needs something before it, and one inside a text may be escaped. */
function canHold(repeated: Element, beginning: string, flags: string): boolean {
  const whole = new RegExp(`^(?:${repeated.raw})$`, flags);
  return [beginning, `-${beginning}`, `\\${beginning}`].some((text) => whole.test(text));
}

function isUnbounded(element: Element): boolean {
  if (element.type === "Quantifier") return element.max === Number.POSITIVE_INFINITY;
  const isGroup = element.type === "Group" || element.type === "CapturingGroup";
  return isGroup && element.alternatives.some(({ elements }) => elements.some(isUnbounded));
}

function canFail(element: Element): boolean {
  if (element.type === "Quantifier") return element.min > 0 && canFail(element.element);
  const isGroup = element.type === "Group" || element.type === "CapturingGroup";
  return !isGroup || element.alternatives.every(({ elements }) => elements.some(canFail));
}

const samples = ["a", "A", "1", "-", " ", '"', "'", "<", "(", "[", "{", "/", "*", ".", "#", ":", "\n", "é"];

/** Some text that the element matches. */
function writeSample(element: Element): string {
  switch (element.type) {
    case "Character":
      return String.fromCodePoint(element.value);
    case "CharacterClass":
    case "CharacterSet": {
      const set = new RegExp(element.raw, "u");
      return samples.find((sample) => set.test(sample)) ?? "";
    }
    case "Quantifier":
      return writeSample(element.element).repeat(element.min);
    case "Group":
    case "CapturingGroup":
      return element.alternatives[0]?.elements.map(writeSample).join("") ?? "";
    default:
      return "";
  }
}
