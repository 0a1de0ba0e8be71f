/** What callers can do with the past of memory blocks: list it, compare it, trace each line to its cause, restore it. */
import { type DiffHunk, diffTexts, toUnifiedText } from "../../memory/unified-diff.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput } from "../../shared/errors.ts";
import { loadAgentBlocks } from "../../store/agents/agent-blocks.ts";
import { getAgent } from "../../store/agents/agents.ts";
import {
  type BlockVersion,
  getBlockVersion,
  listBlockVersions,
  listVersionHeads,
  noSuchVersion,
  type VersionHead,
  type VersionPage,
} from "../../store/blocks/block-versions.ts";
import { type Block, getBlock, getBlocks } from "../../store/blocks/blocks.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type BlameCache, type BlockBlame, blameBlock } from "./block-blame.ts";
import {
  findVersionAt,
  type RestoredBlock,
  type RestoreOptions,
  type RestorePoint,
  rejectOtherVersion,
  restoreBlock,
  restoreBlocksAt,
} from "./block-restore.ts";

/** A version with its text where that was asked for. */
export interface ListedVersion extends VersionHead {
  readonly value: string | null;
}

export interface BlockDiff {
  readonly blockId: string;
  readonly from: VersionHead;
  readonly to: VersionHead;
  readonly hunks: readonly DiffHunk[];
  /** The same as a unified diff; empty when the texts are equal. */
  readonly text: string;
}

export interface HistoryService {
  listVersions(
    actor: Actor,
    blockId: string,
    page: VersionPage & { readonly withValues?: boolean },
  ): Promise<ListedVersion[]>;
  getVersion(actor: Actor, blockId: string, version: number): Promise<BlockVersion>;
  /** From the version before `to`, and to the newest, unless said otherwise. */
  diffVersions(
    actor: Actor,
    blockId: string,
    versions?: { readonly from?: number; readonly to?: number },
  ): Promise<BlockDiff>;
  /** Of the newest version unless another is named. */
  blame(actor: Actor, blockId: string, version?: number): Promise<BlockBlame>;
  /** `expectedVersion`: refused if the block has been written since. */
  restore(
    actor: Actor,
    blockId: string,
    point: RestorePoint,
    options?: RestoreOptions & { readonly expectedVersion?: number },
  ): Promise<RestoredBlock>;
  /** All or none of them. */
  restoreSeveral(
    actor: Actor,
    blockIds: readonly string[],
    at: number,
    options?: RestoreOptions,
  ): Promise<RestoredBlock[]>;
  /** The blocks the agent holds now, or those of them with the labels; all or none. */
  restoreAgent(
    actor: Actor,
    agentId: string,
    at: number,
    options?: RestoreOptions & { readonly labels?: readonly string[] },
  ): Promise<RestoredBlock[]>;
}

export function createHistoryService(runtime: Runtime): HistoryService {
  const cache: BlameCache = new Map();
  const change = <R>(actor: Actor, { isDryRun }: RestoreOptions, work: (scope: Scope) => Promise<R>): Promise<R> =>
    isDryRun ? work(readScope(runtime, actor)) : write(runtime, actor, work);
  return {
    listVersions: async (actor, blockId, { withValues = false, ...page }) => {
      if (withValues) rejectManyTexts(page.limit);
      const scope = readScope(runtime, actor);
      await getBlock(scope, blockId);
      const heads = await listVersionHeads(scope, blockId, page);
      return withValues ? await addValues(scope, blockId, heads) : heads.map((head) => ({ ...head, value: null }));
    },
    getVersion: async (actor, blockId, version) => {
      const scope = readScope(runtime, actor);
      rejectUnknown(await getBlock(scope, blockId), version);
      return await getBlockVersion(scope, blockId, version);
    },
    diffVersions: async (actor, blockId, { from, to } = {}) => {
      const scope = readScope(runtime, actor);
      const block = await getBlock(scope, blockId);
      const last = to ?? block.version;
      return await diffVersions(scope, block, from ?? Math.max(1, last - 1), last);
    },
    blame: async (actor, blockId, version) => {
      const scope = readScope(runtime, actor);
      const block = await getBlock(scope, blockId);
      if (version !== undefined) rejectUnknown(block, version);
      return await blameBlock(scope, cache, block, version ?? block.version);
    },
    restore: (actor, blockId, point, options = {}) =>
      change(actor, options, async (scope) => {
        const block = await getBlock(scope, blockId);
        rejectOtherVersion(block, options.expectedVersion);
        return await restoreBlock(scope, actor, block, await chooseVersion(scope, block, point), options);
      }),
    restoreSeveral: (actor, blockIds, at, options = {}) =>
      change(actor, options, async (scope) => {
        const blocks = await getBlocks(scope, [...new Set(blockIds)]);
        return await restoreBlocksAt(scope, actor, blocks, at, options);
      }),
    restoreAgent: (actor, agentId, at, options = {}) =>
      change(actor, options, async (scope) => {
        await getAgent(scope, agentId);
        const held = (await loadAgentBlocks(scope, [agentId])).get(agentId) ?? [];
        const blocks = options.labels ? chooseLabels(held, options.labels) : held;
        return await restoreBlocksAt(scope, actor, blocks, at, options);
      }),
  };
}

const maxTexts = 100;

function rejectManyTexts(limit: number): void {
  if (limit <= maxTexts) return;
  throw invalidInput("limit", `limit is ${limit}; with their texts, at most ${maxTexts} versions come at a time`);
}

async function addValues(scope: Scope, blockId: string, heads: readonly VersionHead[]): Promise<ListedVersion[]> {
  const numbers = heads.map(({ version }) => version);
  if (numbers.length === 0) return [];
  const range = { from: Math.min(...numbers), to: Math.max(...numbers) };
  const found = new Map((await listBlockVersions(scope, blockId, range)).map((item) => [item.version, item.value]));
  return heads.map((head) => ({ ...head, value: found.get(head.version) ?? null }));
}

async function diffVersions(scope: Scope, block: Block, from: number, to: number): Promise<BlockDiff> {
  for (const version of [from, to]) rejectUnknown(block, version);
  const { value: before, ...older } = await getBlockVersion(scope, block.id, from);
  const { value: after, ...newer } = await getBlockVersion(scope, block.id, to);
  const hunks = diffTexts(before, after);
  const names = { old: `${older.label} version ${from}`, next: `${newer.label} version ${to}` };
  return { blockId: block.id, from: older, to: newer, hunks, text: toUnifiedText(hunks, names) };
}

async function chooseVersion(scope: Scope, block: Block, { version, at }: RestorePoint): Promise<number> {
  if ((version === undefined) === (at === undefined)) {
    throw invalidInput("version", "say what to restore: either a version or a moment (at)");
  }
  if (version === undefined) return await findVersionAt(scope, block, at ?? 0);
  rejectUnknown(block, version);
  return version;
}

function rejectUnknown(block: Block, version: number): void {
  if (!Number.isInteger(version) || version < 1 || version > block.version) throw noSuchVersion(block, version);
}

function chooseLabels(held: readonly Block[], labels: readonly string[]): Block[] {
  const known = held.map(({ label }) => label);
  const unknown = labels.find((label) => !known.includes(label));
  if (unknown === undefined) return held.filter(({ label }) => labels.includes(label));
  const remedy = known.length === 0 ? "it has no blocks" : `its blocks are: ${known.join(", ")}`;
  throw invalidInput("labels", `the agent has no block labelled "${unknown}"; ${remedy}`);
}
