/** Bringing texts of blocks back, one or several in one transaction. */
import { countCharacters } from "../../memory/block-rules.ts";
import { type DiffHunk, diffTexts, toUnifiedText } from "../../memory/unified-diff.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput, MemoirError } from "../../shared/errors.ts";
import { type BlockVersion, findVersionsAt, getBlockVersion } from "../../store/blocks/block-versions.ts";
import { type Block, writeBlock } from "../../store/blocks/blocks.ts";
import type { Scope } from "../../store/engine/scope.ts";

export interface RestoredBlock {
  readonly blockId: string;
  readonly label: string;
  /** `younger`: it did not exist at that moment, and stays as it is. */
  readonly outcome: "restored" | "unchanged" | "younger";
  /** The version whose text was brought back. */
  readonly fromVersion: number | null;
  readonly versionBefore: number;
  /** The block's version now; a trial run leaves it where it was. */
  readonly version: number;
  readonly hunks: readonly DiffHunk[];
  /** The same as a unified diff. */
  readonly text: string;
}

export interface RestorePoint {
  readonly version?: number;
  readonly at?: number;
}

export interface RestoreOptions {
  /** Says what would be done, and does nothing. */
  readonly isDryRun?: boolean;
}

/** The versions the blocks had at the moment, by block. */
export async function restoreBlocksAt(
  scope: Scope,
  actor: Actor,
  blocks: readonly Block[],
  at: number,
  options: RestoreOptions,
): Promise<RestoredBlock[]> {
  const ids = blocks.map(({ id }) => id);
  const versions = await findVersionsAt(scope, ids, at);
  const restored = new Map<string, RestoredBlock>();
  // Always in the same order, so that two restores of the same blocks do not wait for each other.
  for (const block of [...blocks].sort((left, right) => (left.id < right.id ? -1 : 1))) {
    const version = versions.get(block.id);
    const done =
      version === undefined ? leaveYounger(block) : await restoreBlock(scope, actor, block, version, options);
    restored.set(block.id, done);
  }
  return ids.flatMap((id) => restored.get(id) ?? []);
}

export async function findVersionAt(scope: Scope, block: Block, at: number): Promise<number> {
  const version = (await findVersionsAt(scope, [block.id], at)).get(block.id);
  if (version !== undefined) return version;
  throw invalidInput("at", `block "${block.label}" did not exist at that moment: choose a later one`);
}

/** The text comes back; label, description, limit and the read-only flag stay as they are. */
export async function restoreBlock(
  scope: Scope,
  actor: Actor,
  block: Block,
  version: number,
  { isDryRun = false }: RestoreOptions,
): Promise<RestoredBlock> {
  const source = await getBlockVersion(scope, block.id, version);
  rejectTooLong(block, source);
  const isChanged = source.value !== block.value;
  const cause = { kind: "restore" as const, userId: actor.userId, restoredVersion: version };
  const written = isChanged && !isDryRun ? await writeBlock(scope, block, { value: source.value }, cause) : block;
  const hunks = diffTexts(block.value, source.value);
  const names = { old: `${block.label} version ${block.version}`, next: `${block.label} version ${version}` };
  return {
    blockId: block.id,
    label: block.label,
    outcome: isChanged ? "restored" : "unchanged",
    fromVersion: version,
    versionBefore: block.version,
    version: written.version,
    hunks,
    text: toUnifiedText(hunks, names),
  };
}

function leaveYounger({ id, label, version }: Block): RestoredBlock {
  return {
    blockId: id,
    label,
    outcome: "younger",
    fromVersion: null,
    versionBefore: version,
    version,
    hunks: [],
    text: "",
  };
}

function rejectTooLong({ label, charLimit }: Block, { version, value }: BlockVersion): void {
  const length = countCharacters(value);
  if (length <= charLimit) return;
  throw new MemoirError(
    "invalid-argument",
    `version ${version} of block "${label}" has ${length} characters, and the block's limit is ${charLimit} now: raise the ` +
      "limit first. Nothing was restored.",
    { details: { entity: "block", field: "limit" } },
  );
}

/** For callers that decided on what they had read. */
export function rejectOtherVersion({ id, label, version }: Block, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  throw new MemoirError(
    "conflict",
    `block "${label}" is at version ${version}, not ${expected}: look at what was written since, then restore again`,
    { details: { entity: "block", id, field: "expected_version" } },
  );
}
