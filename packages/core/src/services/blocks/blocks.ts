/** What callers can do with memory blocks. */
import { checkBlock } from "../../memory/block-rules.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { MemoirError } from "../../shared/errors.ts";
import { omitUndefined } from "../../shared/omit-undefined.ts";
import { findAgentBlock, selectAgentBlocks } from "../../store/agents/agent-blocks.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { getIdentity, linkIdentities, unlinkIdentities } from "../../store/agents/identities.ts";
import { addTags, loadTags, replaceTags, sortedTags } from "../../store/agents/tags.ts";
import type { BlockCause } from "../../store/blocks/block-versions.ts";
import {
  type Block,
  type BlockChanges,
  type BlockFilter,
  blockEntity,
  countBlocks,
  deleteBlock,
  getBlock,
  insertBlocks,
  listBlocks,
  type NewBlock as NewStoredBlock,
  newBlock,
  touchBlock,
  writeBlock,
} from "../../store/blocks/blocks.ts";
import { listPage, type PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";

export interface TaggedBlock extends Block {
  readonly tags: readonly string[];
}

export interface NewBlock extends NewStoredBlock {
  readonly tags?: readonly string[];
}

export type BlockUpdate = BlockChanges & { readonly tags?: readonly string[] };

export interface UpdateOptions {
  /** Refuses to change a read-only block, as the agent's own tools do. */
  readonly respectsReadOnly?: boolean;
}

export interface BlockService {
  create(actor: Actor, block: NewBlock): Promise<TaggedBlock>;
  /** All of them or none. */
  createAll(actor: Actor, blocks: readonly NewBlock[]): Promise<TaggedBlock[]>;
  get(actor: Actor, id: string): Promise<TaggedBlock>;
  list(actor: Actor, filter: BlockFilter, page: PageRequest): Promise<TaggedBlock[]>;
  count(actor: Actor, filter?: BlockFilter): Promise<number>;
  update(actor: Actor, id: string, update: BlockUpdate): Promise<TaggedBlock>;
  delete(actor: Actor, id: string): Promise<void>;
  listOfAgent(actor: Actor, agentId: string, page: PageRequest): Promise<TaggedBlock[]>;
  getOfAgent(actor: Actor, agentId: string, label: string): Promise<TaggedBlock>;
  updateOfAgent(
    actor: Actor,
    agentId: string,
    label: string,
    update: BlockUpdate,
    options?: UpdateOptions,
  ): Promise<TaggedBlock>;
  attachIdentity(actor: Actor, id: string, identityId: string): Promise<TaggedBlock>;
  detachIdentity(actor: Actor, id: string, identityId: string): Promise<TaggedBlock>;
}

export function createBlockService(runtime: Runtime): BlockService {
  return {
    create: (actor, input) =>
      write(runtime, actor, async (scope) => {
        const [block] = await createBlocks(scope, [input], apiCause(actor));
        if (!block) throw new Error("a block was inserted and not returned");
        return block;
      }),
    createAll: (actor, input) => write(runtime, actor, (scope) => createBlocks(scope, input, apiCause(actor))),
    get: async (actor, id) => withTags(readScope(runtime, actor), await getBlock(readScope(runtime, actor), id)),
    list: async (actor, filter, page) => {
      const scope = readScope(runtime, actor);
      return await withAllTags(scope, await listBlocks(scope, filter, page));
    },
    count: (actor, filter) => countBlocks(readScope(runtime, actor), filter),
    update: (actor, id, update) =>
      write(
        runtime,
        actor,
        async (scope) => await applyUpdate(scope, await getBlock(scope, id), update, apiCause(actor)),
      ),
    delete: (actor, id) => write(runtime, actor, (scope) => deleteBlock(scope, id)),
    listOfAgent: async (actor, agentId, page) => {
      const scope = readScope(runtime, actor);
      await getAgent(scope, agentId);
      const blocks = await listPage(scope, blockEntity, selectAgentBlocks(scope, agentId), page);
      return await withAllTags(scope, blocks);
    },
    getOfAgent: async (actor, agentId, label) => {
      const scope = readScope(runtime, actor);
      return await withTags(scope, await getBlockByLabel(scope, agentId, label));
    },
    updateOfAgent: (actor, agentId, label, update, { respectsReadOnly = false } = {}) =>
      write(runtime, actor, async (scope) => {
        const block = await getBlockByLabel(scope, agentId, label);
        if (respectsReadOnly && block.readOnly) throw readOnlyBlock(label);
        return await applyUpdate(scope, block, update, apiCause(actor));
      }),
    attachIdentity: (actor, id, identityId) =>
      write(runtime, actor, async (scope) => {
        const block = await getBlock(scope, id);
        await getIdentity(scope, identityId);
        await linkIdentities(scope, "block", [{ ownerId: id, identityId }]);
        return await withTags(scope, block);
      }),
    detachIdentity: (actor, id, identityId) =>
      write(runtime, actor, async (scope) => {
        const block = await getBlock(scope, id);
        await getIdentity(scope, identityId);
        await unlinkIdentities(scope, "block", { ownerId: id, identityId });
        return await withTags(scope, block);
      }),
  };
}

function readOnlyBlock(label: string): MemoirError {
  const message = `block "${label}" is read-only: only a key that is not for one agent may change it`;
  return new MemoirError("forbidden", message, { details: { field: "read_only", label } });
}

export function apiCause(actor: Actor): BlockCause {
  return { kind: "api", userId: actor.userId };
}

export async function createBlocks(
  scope: Scope,
  input: readonly NewBlock[],
  cause: BlockCause,
): Promise<TaggedBlock[]> {
  const blocks = input.map((block) => newBlock(scope, block, cause));
  for (const block of blocks) checkBlock(block);
  await insertBlocks(scope, blocks, cause);
  for (const [index, { tags }] of input.entries()) {
    const block = blocks[index];
    if (block && tags?.length) await addTags(scope, "block", block.id, tags);
  }
  return blocks.map((block, index) => ({ ...block, tags: sortedTags(input[index]?.tags ?? []) }));
}

async function applyUpdate(
  scope: Scope,
  seen: Block,
  { tags, ...input }: BlockUpdate,
  cause: BlockCause,
): Promise<TaggedBlock> {
  const changes = omitUndefined(input);
  checkBlock({ ...seen, ...changes });
  const stored = await withTags(scope, seen);
  const wanted = tags ? sortedTags(tags) : stored.tags;
  const isRetagged = !isSame(wanted, stored.tags);
  const isChanged = Object.entries(changes).some(([field, value]) => !isSame(value, seen[field as keyof Block]));
  if (!isChanged && !isRetagged) return stored;
  const block = isChanged ? await writeBlock(scope, seen, changes, cause) : await touchBlock(scope, seen, cause);
  if (isRetagged) await replaceTags(scope, "block", block.id, wanted);
  return { ...block, tags: wanted };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

async function getBlockByLabel(scope: Scope, agentId: string, label: string): Promise<Block> {
  const block = await findAgentBlock(scope, agentId, label);
  if (block) return block;
  await getAgent(scope, agentId);
  throw new MemoirError("not-found", `agent "${agentId}" has no block labelled "${label}"`, {
    details: { entity: "block", label, agentId },
  });
}

export async function withTags(scope: Scope, block: Block): Promise<TaggedBlock> {
  const [tagged] = await withAllTags(scope, [block]);
  return tagged ?? { ...block, tags: [] };
}

export async function withAllTags(scope: Scope, blocks: readonly Block[]): Promise<TaggedBlock[]> {
  const tags = await loadTags(
    scope,
    "block",
    blocks.map(({ id }) => id),
  );
  return blocks.map((block) => ({ ...block, tags: tags.get(block.id) ?? [] }));
}
