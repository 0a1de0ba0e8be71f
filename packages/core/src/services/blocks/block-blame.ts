/** Blame: the version, the tool call and the messages behind each line of a block. */
import { type BlamedLine, blameLines } from "../../memory/blame.ts";
import { type BlockCause, listVersionChanges } from "../../store/blocks/block-versions.ts";
import type { Block } from "../../store/blocks/blocks.ts";
import { loadRunMessages, type RunMessages } from "../../store/blocks/edit-messages.ts";
import type { Scope } from "../../store/engine/scope.ts";

export interface LineBlame {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** The version that wrote the line. */
  readonly version: number;
  readonly writtenAt: number;
  readonly cause: BlockCause;
  /** The restore that brought the line back, if it had been gone. */
  readonly restoredIn: number | null;
  /** The agent's message that made the tool call; null for other causes, and when the message is gone. */
  readonly messageId: string | null;
  /** The messages that started the run. */
  readonly inputMessageIds: readonly string[];
}

export interface BlockBlame {
  readonly blockId: string;
  readonly label: string;
  readonly version: number;
  readonly lines: readonly LineBlame[];
}

interface KnownLines {
  readonly version: number;
  readonly lines: readonly BlamedLine[];
}

/** Lines of blocks in their newest version. A version never changes, so nothing in here goes stale. */
export type BlameCache = Map<string, KnownLines>;

const maxBlocks = 100;
/** Longer texts are worked out each time. */
const maxLines = 10_000;

export async function blameBlock(scope: Scope, cache: BlameCache, block: Block, version: number): Promise<BlockBlame> {
  const lines = await loadLines(scope, cache, block, version);
  const isEmpty = lines.length === 1 && lines[0]?.text === "";
  return {
    blockId: block.id,
    label: block.label,
    version,
    lines: isEmpty ? [] : await nameMessages(scope, lines),
  };
}

async function loadLines(
  scope: Scope,
  cache: BlameCache,
  block: Block,
  version: number,
): Promise<readonly BlamedLine[]> {
  const known = cache.get(block.id);
  if (known?.version === version) return known.lines;
  const lines = (known && (await walkOn(scope, block.id, known, version))) ?? (await walk(scope, block.id, version));
  if (version === block.version) remember(cache, block.id, { version, lines });
  return lines;
}

async function walk(scope: Scope, blockId: string, version: number): Promise<BlamedLine[]> {
  return blameLines(await listVersionChanges(scope, blockId, { after: 0, upTo: version }));
}

/** Undefined when what is known does not lead there: an older version, or a restore, which needs what was before. */
async function walkOn(
  scope: Scope,
  blockId: string,
  known: KnownLines,
  version: number,
): Promise<BlamedLine[] | undefined> {
  if (known.version > version) return undefined;
  const changes = await listVersionChanges(scope, blockId, { after: known.version, upTo: version });
  const hasRestore = changes.some(({ cause }) => cause.kind === "restore");
  return hasRestore ? undefined : blameLines(changes, known.lines);
}

/** The one looked at longest ago goes when there are too many. */
function remember(cache: BlameCache, blockId: string, known: KnownLines): void {
  cache.delete(blockId);
  if (known.lines.length > maxLines) return;
  cache.set(blockId, known);
  const oldest = cache.keys().next();
  if (cache.size > maxBlocks && !oldest.done) cache.delete(oldest.value);
}

async function nameMessages(scope: Scope, lines: readonly BlamedLine[]): Promise<LineBlame[]> {
  const runIds = new Set(lines.flatMap(({ origin }) => origin.cause.runId ?? []));
  const runs = await loadRunMessages(scope, [...runIds]);
  return lines.map(({ text, origin, restoredIn }, index) => {
    const { version, cause, createdAt } = origin;
    const run = cause.runId === undefined ? undefined : runs.get(cause.runId);
    return {
      line: index + 1,
      text,
      version,
      writtenAt: createdAt,
      cause,
      restoredIn,
      messageId: run ? findCaller(run, cause) : null,
      inputMessageIds: run?.inputIds ?? [],
    };
  });
}

/** Some models number their calls anew in each step, so the call's id alone is not enough. */
function findCaller(run: RunMessages, { stepId, toolCallId }: BlockCause): string | null {
  return run.calls.find((call) => call.callId === toolCallId && call.stepId === (stepId ?? null))?.messageId ?? null;
}
