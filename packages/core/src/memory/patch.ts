/**
 * The patches of memory_apply_patch: hunks for one block, or operations on several under header lines. Body lines begin
 * with a space (stays), `-` (goes) or `+` (comes), whatever follows: `--- a` removes the line `-- a`.
 */
import { findRuns } from "../shared/find-runs.ts";
import { trimEndOf } from "../shared/trim.ts";
import { quoteShort, refusal } from "./block-rules.ts";
import { describeLines, matchesBySpacing } from "./edit.ts";

export interface PatchLine {
  readonly kind: " " | "-" | "+";
  readonly text: string;
}

export interface Hunk {
  readonly lines: readonly PatchLine[];
  /** A first pair of lines `--- x` and `+++ y`: names of files, as in a diff, unless the block has the line `-- x`. */
  readonly mayBeHeader: boolean;
}

export type PatchOperation =
  | { readonly type: "add"; readonly label: string; readonly description: string | null; readonly value: string }
  | { readonly type: "delete"; readonly label: string }
  | { readonly type: "update"; readonly label: string; readonly hunks: readonly Hunk[] }
  | { readonly type: "move"; readonly label: string; readonly to: string };

export interface Patch {
  /** Without header lines: one update of the block named beside the patch. */
  readonly isPlain: boolean;
  readonly operations: readonly PatchOperation[];
}

/** A line with its number in the patch, for errors. */
interface Numbered {
  readonly number: number;
  readonly text: string;
}

interface Section {
  readonly header: Header | undefined;
  readonly body: Numbered[];
}

interface Header {
  readonly verb: "add block" | "delete block" | "update block" | "move to";
  readonly label: string;
}

/** Each hunk goes through the whole block. */
const maxHunks = 200;

export function parsePatch(label: string, patch: string): Patch {
  const parsed = readPatch(label, patch);
  const hunks = parsed.operations.reduce((sum, each) => sum + (each.type === "update" ? each.hunks.length : 1), 0);
  if (hunks <= maxHunks) return parsed;
  throw refusal(
    `The patch has ${hunks} hunks, and ${maxHunks} are the most. Nothing was changed. Send it in several patches, or ` +
      "rewrite the block as a whole.",
  );
}

function readPatch(label: string, patch: string): Patch {
  const [preface, ...sections] = splitSections(patch);
  if (!preface || sections.length === 0) {
    const hunks = parseHunks(preface?.body ?? []);
    if (hunks.length === 0) {
      throw refusal(`The patch has no hunk. Nothing was changed. ${markRemedy} Open each hunk with a line @@.`);
    }
    return { isPlain: true, operations: [{ type: "update", label, hunks }] };
  }
  rejectLines(preface.body, "It stands before the first header line, so it belongs to no block.");
  return { isPlain: false, operations: parseOperations(sections) };
}

const headerLine = /^\*\*\*\s*(add block|delete block|update block|move to)\s*:(.*)$/i;
/** What other patch formats put around a patch. */
const frameLine = /^\*\*\*\s*(begin patch|end patch|end of file)\s*$/i;

function splitSections(patch: string): Section[] {
  const sections: Section[] = [{ header: undefined, body: [] }];
  for (const [index, text] of patch.split("\n").entries()) {
    if (frameLine.test(text)) continue;
    const header = readHeader(index + 1, text);
    if (header) sections.push({ header, body: [] });
    else sections.at(-1)?.body.push({ number: index + 1, text });
  }
  return sections;
}

function readHeader(number: number, text: string): Header | undefined {
  if (!text.startsWith("***")) return undefined;
  const [, verb, label = ""] = text.match(headerLine) ?? [];
  if (!verb) {
    throw refusal(
      `Line ${number} of the patch, ${quoteShort(text)}, is no header that is known. Nothing was changed. Write ` +
        '"*** Add Block: label", "*** Delete Block: label", "*** Update Block: label" or "*** Move to: label"; a text line ' +
        "that starts with asterisks needs a space, - or + in front.",
    );
  }
  if (label.trim() === "") {
    throw refusal(
      `Line ${number} of the patch, ${quoteShort(text)}, names no block. Nothing was changed. Put a label after the colon.`,
    );
  }
  return { verb: verb.toLowerCase() as Header["verb"], label: label.trim() };
}

function parseOperations(sections: readonly Section[]): PatchOperation[] {
  return sections.flatMap((section, index) =>
    parseSection(section, sections[index - 1]?.header, sections[index + 1]?.header),
  );
}

function parseSection({ header, body }: Section, previous: Header | undefined, next: Header | undefined) {
  switch (header?.verb) {
    case "add block":
      return [parseAdd(header.label, body)];
    case "delete block":
      rejectLines(body, "It follows a Delete Block header, which takes no lines.");
      return [{ type: "delete" as const, label: header.label }];
    case "update block":
      return parseUpdate(header.label, body, next?.verb === "move to");
    case "move to":
      return [parseMove(header.label, previous), ...parseUpdate(header.label, body, true)];
    case undefined:
      return [];
  }
}

function parseMove(to: string, previous: Header | undefined): PatchOperation {
  if (previous && previous.verb !== "delete block") return { type: "move", label: previous.label, to };
  throw refusal(
    `"*** Move to: ${to}" has no block before it. Nothing was changed. Name the block to rename in an ` +
      '"*** Update Block: label" line first.',
  );
}

function parseUpdate(label: string, body: readonly Numbered[], mayBeEmpty: boolean): PatchOperation[] {
  const hunks = parseHunks(body);
  if (hunks.length > 0) return [{ type: "update", label, hunks }];
  if (mayBeEmpty) return [];
  throw refusal(`The update of block "${label}" has no hunk. Nothing was changed. ${markRemedy}`);
}

const descriptionLine = /^description:(.*)$/i;

function parseAdd(label: string, body: readonly Numbered[]): PatchOperation {
  const [first, ...rest] = body;
  const description = first?.text.match(descriptionLine)?.[1]?.trim();
  const lines = trimBlank(description === undefined ? body : rest);
  for (const line of lines) {
    if (line.text === "" || line.text.startsWith("+")) continue;
    throw refusal(
      `Line ${line.number} of the patch, ${quoteShort(line.text)}, does not begin with +. Nothing was changed. Put a + in ` +
        `front of every line of the new block "${label}".`,
    );
  }
  const value = lines.map(({ text }) => text.slice(1)).join("\n");
  return { type: "add", label, description: description || null, value: trimEndOf(value, /\n/) };
}

function rejectLines(lines: readonly Numbered[], reason: string): void {
  const line = lines.find(({ text }) => text.trim() !== "");
  if (!line) return;
  throw refusal(
    `Line ${line.number} of the patch, ${quoteShort(line.text)}, cannot stay. ${reason} Nothing was changed. Move the line ` +
      "under an Update Block or Add Block header, or leave it out.",
  );
}

const markRemedy =
  "Lines of a hunk begin with a space (the line stays), - (it goes) or + (it comes); at least one must go or come.";

function parseHunks(body: readonly Numbered[]): Hunk[] {
  const hunks: Numbered[][] = [[]];
  for (const line of body) {
    if (line.text.startsWith("@@")) hunks.push([]);
    else if (!line.text.startsWith("\\ ")) hunks.at(-1)?.push(line);
  }
  const trimmed = hunks.map(trimBlank);
  return trimmed.flatMap((lines, index) => {
    if (lines.length === 0) return [];
    const hunk = lines.map(parseLine);
    if (hunk.every(({ kind }) => kind === " ")) {
      const number = lines[0]?.number;
      throw refusal(`The hunk at line ${number} of the patch changes nothing. Nothing was changed. ${markRemedy}`);
    }
    return [{ lines: hunk, mayBeHeader: index === 0 && trimmed.length > 1 && isFileHeader(lines) }];
  });
}

/** Empty lines around a hunk are layout; one that stays is written as a single space. */
function trimBlank(lines: readonly Numbered[]): Numbered[] {
  const isText = ({ text }: Numbered) => text !== "";
  return lines.slice(Math.max(0, lines.findIndex(isText)), lines.findLastIndex(isText) + 1);
}

function parseLine({ number, text }: Numbered): PatchLine {
  const kind = text === "" ? " " : text[0];
  if (kind === " " || kind === "-" || kind === "+") return { kind, text: text.slice(1) };
  throw refusal(
    `Line ${number} of the patch, ${quoteShort(text)}, begins with none of the three marks. Nothing was changed. ${markRemedy}`,
  );
}

function isFileHeader(lines: readonly Numbered[]): boolean {
  const [old, next] = lines;
  return lines.length === 2 && !!old?.text.startsWith("--- ") && !!next?.text.startsWith("+++ ");
}

/** The text after all hunks; each must fit one place of what the ones before it left. */
export function applyHunks(label: string, value: string, hunks: readonly Hunk[]): string {
  let lines = value === "" ? [] : value.split("\n");
  for (const [index, hunk] of hunks.entries()) lines = applyHunk(label, lines, hunk, index + 1);
  return lines.join("\n");
}

function applyHunk(label: string, lines: readonly string[], hunk: Hunk, number: number): string[] {
  const old = hunk.lines.filter(({ kind }) => kind !== "+").map(({ text }) => text);
  const next = hunk.lines.filter(({ kind }) => kind !== "-").map(({ text }) => text);
  if (old.length === 0) return [...lines, ...next];
  const [place, ...others] = [...findRuns(lines, old)];
  if (place === undefined) {
    if (hunk.mayBeHeader) return [...lines];
    throw fitsNowhere(label, lines, old, number);
  }
  if (others.length > 0) {
    throw refusal(
      `Hunk ${number} fits several places of block "${label}": it could start on ${describeLines(
        [place, ...others].map((start) => start + 1),
      )}. Nothing was changed. Add neighbouring lines that stay, until it fits one place only.`,
    );
  }
  return [...lines.slice(0, place), ...next, ...lines.slice(place + old.length)];
}

const shownLines = 4;

function fitsNowhere(label: string, lines: readonly string[], old: readonly string[], number: number) {
  const shown = old
    .slice(0, shownLines)
    .map((line) => quoteShort(line))
    .join(", then ");
  const rest = old.length > shownLines ? `, and ${old.length - shownLines} more` : "";
  const remedy = matchesBySpacing(lines.join("\n"), old.join("\n"))
    ? "They would fit if tabs and spaces were the same: copy the spacing exactly."
    : "Copy the lines that stay and go exactly as they stand in the block, after the space or - in front.";
  return refusal(
    `Hunk ${number} fits nowhere in block "${label}". Expected one after the other: ${shown}${rest}. Nothing was ` +
      `changed. ${remedy}`,
  );
}
