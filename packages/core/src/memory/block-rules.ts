/** The rules every write of a block keeps, whoever writes. Characters are code points. */
import { invalidInput, MemoirError } from "../shared/errors.ts";
import type { Block } from "../store/blocks/blocks.ts";

/** For callers of the API. */
export function checkBlock({ label, value, charLimit }: Pick<Block, "label" | "value" | "charLimit">): void {
  if (label.trim() === "") throw invalidInput("label", "a block needs a label: give it a short name such as human");
  if (charLimit < 1) throw invalidInput("limit", `limit is ${charLimit}; it must be at least 1`);
  if (isWithin(value, charLimit)) return;
  throw invalidInput(
    "value",
    `the value of block "${label}" has ${countCharacters(value)} characters, its limit is ${charLimit}: shorten it or raise the limit`,
  );
}

/** Never more code points than UTF-16 units, so most texts need no counting. */
function isWithin(value: string, charLimit: number): boolean {
  return value.length <= charLimit || countCharacters(value) <= charLimit;
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** What a model is told when a tool does not do what it asked: what is wrong, and what to do instead. */
export function refusal(message: string): MemoirError {
  return new MemoirError("tool-failed", message);
}

/** The same rules, for agents that edit their own memory. */
export function rejectReadOnly({ label, readOnly }: Pick<Block, "label" | "readOnly">): void {
  if (!readOnly) return;
  throw refusal(
    `Block "${label}" is read-only: memory tools cannot change, rename or take it away. Nothing was changed. ` +
      "Write what you want to keep into another block.",
  );
}

export function rejectOverLimit(
  { label, value, charLimit }: Pick<Block, "label" | "value" | "charLimit">,
  next: string,
) {
  if (isWithin(next, charLimit)) return;
  const length = countCharacters(next);
  throw refusal(
    `Block "${label}" would have ${length} characters, but its limit is ${charLimit} (it has ${countCharacters(value)} ` +
      `now). Nothing was changed. Write at least ${length - charLimit} characters less, or first make room by removing ` +
      "or condensing what the block no longer needs.",
  );
}

const longestLabel = 100;

/** For labels that an agent makes up; labels it was given may be anything. */
export function rejectBadLabel(label: string): void {
  if (label.trim() === "") throw refusal("A block needs a label. Give it a short name, such as projects.");
  if (/[\p{Cc}\u2028\u2029]/u.test(label) || label !== label.trim() || countCharacters(label) > longestLabel) {
    throw refusal(
      `${quoteShort(label)} cannot be a label: it must be one line of at most ${longestLabel} characters, without ` +
        "spaces at its ends. Nothing was changed. Choose a short name, such as projects.",
    );
  }
}

export function rejectTakenLabel(label: string, taken: readonly string[]): void {
  if (!taken.includes(label)) return;
  throw refusal(
    `You already have a block labelled "${label}". Nothing was changed. Edit that block, or choose another label.`,
  );
}

export function unknownLabel(label: string, labels: readonly string[]): MemoirError {
  const known = labels.length === 0 ? "You have no blocks at all." : `Your blocks are: ${labels.join(", ")}.`;
  const remedy =
    labels.length === 0 ? "A block has to be created first." : "Use one of these labels, spelled exactly like this.";
  return refusal(`There is no block labelled ${quoteShort(label)}. ${known} Nothing was changed. ${remedy}`);
}

const longestQuote = 200;

/** A text in quotation marks, cut where it would only fill the error. */
export function quoteShort(text: string, mark = '"'): string {
  const characters = [...text.slice(0, 2 * longestQuote + 2)];
  const shown = characters.length <= longestQuote ? text : `${characters.slice(0, longestQuote).join("")}…`;
  return `${mark}${shown}${mark}`;
}
