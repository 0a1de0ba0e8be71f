/** Edits of a block's text. They take it exactly as it is: nothing is trimmed, and a tab stays a tab. */
import { findRuns, findText, splitText } from "../shared/find-runs.ts";
import { quoteShort, refusal } from "./block-rules.ts";
import { lineNumberBanner } from "./compile.ts";

/** On a line of its own, unless there is no line before it. */
export function appendText(value: string, content: string): string {
  return value === "" ? content : `${value}\n${content}`;
}

/** Every occurrence. */
export function replaceAllText(label: string, value: string, old: string, next: string): string {
  rejectEmpty("old_content", old);
  const parts = splitText(value, old);
  if (parts.length > 1) {
    rejectOverlong(label, value.length + (parts.length - 1) * (next.length - old.length));
    return parts.join(next);
  }
  throw refusal(
    `Old content ${quoteShort(old, "'")} not found in memory block '${label}'. Nothing was changed. ${findingRemedy(value, old)}`,
  );
}

/** More than any block holds: the text is not even put together. */
const longestResult = 50_000_000;

function rejectOverlong(label: string, length: number): void {
  if (length <= longestResult) return;
  throw refusal(`The new text of block "${label}" would have ${length} characters. Nothing was changed. Replace less.`);
}

/** The one occurrence there is. */
export function replaceOneText(label: string, value: string, old: string, next: string): string {
  rejectEmpty("old_string", old);
  const [start, ...others] = listOccurrences(value, old);
  if (start === undefined) {
    throw refusal(
      `No replacement was performed: ${quoteShort(old)} does not occur in block "${label}". ${findingRemedy(value, old)}`,
    );
  }
  if (others.length > 0) {
    const lines = describeLines([start, ...others].map((position) => lineOf(value, position)));
    throw refusal(
      `No replacement was performed: ${quoteShort(old)} occurs more than once in block "${label}", on ${lines}. ` +
        "Quote more of its surroundings, until it is found in one place only.",
    );
  }
  return value.slice(0, start) + next + value.slice(start + old.length);
}

/** After that line; 0 is the top, -1 the end. An empty block has no lines, so the text stands there alone. */
export function insertText(label: string, value: string, text: string, line: number): string {
  const lines = value === "" ? [] : value.split("\n");
  if (!Number.isInteger(line) || line < -1 || line > lines.length) {
    throw refusal(
      `insert_line is ${line}, but block "${label}" has ${lines.length === 1 ? "1 line" : `${lines.length} lines`}: ` +
        `it must be in the range [0, ${lines.length}], or -1 for the end. Nothing was changed. Call again with such a line.`,
    );
  }
  return lines.toSpliced(line === -1 ? lines.length : line, 0, text).join("\n");
}

function rejectEmpty(argument: string, old: string): void {
  if (old !== "") return;
  throw refusal(
    `${argument} is empty, so there is nothing to look for. Nothing was changed. Quote the text to be replaced; to add ` +
      "text without replacing any, use a tool that inserts or appends.",
  );
}

function findingRemedy(value: string, old: string): string {
  if (!matchesBySpacing(value, old)) return "Copy it from the block character for character, line breaks included.";
  return (
    "It would be found if tabs and spaces were the same: the block has a tab where you wrote spaces, or the other way " +
    "round, or more or fewer of them. Copy the spacing exactly."
  );
}

/** Whether the text is there but for tabs and spaces. */
export function matchesBySpacing(value: string, text: string): boolean {
  return findText(collapse(value), collapse(text)) >= 0;
}

const collapse = (text: string) => text.replaceAll(/[\t ]+/g, " ");

/** More would say nothing more. */
const maxOccurrences = 100;

/** Overlapping ones count: either could be meant. */
function listOccurrences(value: string, text: string): number[] {
  return findRuns(value, text).take(maxOccurrences).toArray();
}

function lineOf(value: string, position: number): number {
  return value.slice(0, position).split("\n").length;
}

const maxLines = 20;

/** `line 3`, `lines 3, 8`; line numbers are counted from 1. */
export function describeLines(lines: readonly number[]): string {
  const distinct = [...new Set(lines)];
  const shown = distinct.slice(0, maxLines).join(", ");
  return `${distinct.length === 1 ? "line" : "lines"} ${shown}${distinct.length > maxLines ? " and more" : ""}`;
}

const displayNumber = /^[ \t]*\d+→/m;
const patchedNumber = /^[ +-]?[ \t]*\d+→/m;

/** A model that copies numbered lines from its prompt would write the numbers into its memory. */
export function rejectDisplayAids(argument: string, text: string, isPatch = false): void {
  const number = text.match(isPatch ? patchedNumber : displayNumber)?.[0];
  if (number !== undefined) {
    throw refusal(
      `${argument} has a line that starts with a number and an arrow (${quoteShort(number.trim())}). Your prompt shows ` +
        "such numbers in front of lines, they are not part of the block. Nothing was changed. Call again without them.",
    );
  }
  if (text.includes(bannerStart)) {
    throw refusal(
      `${argument} holds the note about line numbers that your prompt shows above a block; it is not part of the block. ` +
        "Nothing was changed. Call again without it.",
    );
  }
}

/** Its first sentence: models shorten what they copy. */
const bannerStart = lineNumberBanner.slice(0, lineNumberBanner.indexOf("."));
