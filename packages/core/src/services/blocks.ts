/** What callers can do with memory blocks. */
import type { Actor } from "../actor.ts";
import { invalidInput, MemoirError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { type Runtime, readScope, write } from "../runtime.ts";
import { findAgentBlock, selectAgentBlocks } from "../store/agent-blocks.ts";
import { getAgent } from "../store/agents.ts";
import type { BlockCause } from "../store/block-versions.ts";
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
  writeBlock,
} from "../store/blocks.ts";
import { getIdentity, linkIdentities, unlinkIdentities } from "../store/identities.ts";
import { listPage, type PageRequest } from "../store/paging.ts";
import type { Scope } from "../store/scope.ts";
import { loadTags, replaceTags } from "../store/tags.ts";

export interface TaggedBlock extends Block {
  readonly tags: readonly string[];
}

export interface NewBlock {
  readonly label: string;
  readonly value: string;
  readonly charLimit?: number;
  readonly description?: string | null;
  readonly metadata?: JsonObject;
  readonly readOnly?: boolean;
  readonly hidden?: boolean | null;
  readonly isTemplate?: boolean;
  readonly templateName?: string | null;
  readonly templateId?: string | null;
  readonly baseTemplateId?: string | null;
  readonly deploymentId?: string | null;
  readonly entityId?: string | null;
  readonly preserveOnMigration?: boolean | null;
  readonly projectId?: string | null;
  readonly tags?: readonly string[];
}

export type BlockUpdate = BlockChanges & { readonly tags?: readonly string[] };

export const defaultCharLimit = 100_000;

export interface BlockService {
  create(actor: Actor, block: NewBlock): Promise<TaggedBlock>;
  get(actor: Actor, id: string): Promise<TaggedBlock>;
  list(actor: Actor, filter: BlockFilter, page: PageRequest): Promise<TaggedBlock[]>;
  count(actor: Actor, filter?: BlockFilter): Promise<number>;
  update(actor: Actor, id: string, update: BlockUpdate): Promise<TaggedBlock>;
  delete(actor: Actor, id: string): Promise<void>;
  listOfAgent(actor: Actor, agentId: string, page: PageRequest): Promise<TaggedBlock[]>;
  getOfAgent(actor: Actor, agentId: string, label: string): Promise<TaggedBlock>;
  updateOfAgent(actor: Actor, agentId: string, label: string, update: BlockUpdate): Promise<TaggedBlock>;
  attachIdentity(actor: Actor, id: string, identityId: string): Promise<TaggedBlock>;
  detachIdentity(actor: Actor, id: string, identityId: string): Promise<TaggedBlock>;
}

export function createBlockService(runtime: Runtime): BlockService {
  return {
    create: (actor, given) =>
      write(runtime, actor, async (scope) => {
        const [block] = await createBlocks(scope, [given], apiCause(actor));
        if (!block) throw new Error("a block was inserted and not returned");
        return block;
      }),
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
    updateOfAgent: (actor, agentId, label, update) =>
      write(runtime, actor, async (scope) => {
        const block = await getBlockByLabel(scope, agentId, label);
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

export function apiCause(actor: Actor): BlockCause {
  return { kind: "api", userId: actor.userId };
}

export async function createBlocks(
  scope: Scope,
  given: readonly NewBlock[],
  cause: BlockCause,
): Promise<TaggedBlock[]> {
  const blocks = given.map((block) => newBlock(scope, block, cause));
  for (const block of blocks) checkBlock(block);
  await insertBlocks(scope, blocks, cause);
  for (const [index, { tags }] of given.entries()) {
    const block = blocks[index];
    if (block && tags?.length) await replaceTags(scope, "block", block.id, tags);
  }
  return await withAllTags(scope, blocks);
}

function newBlock(scope: Scope, given: NewBlock, cause: BlockCause): Block {
  const at = scope.now();
  return {
    id: scope.newId("block"),
    label: given.label,
    value: given.value,
    charLimit: given.charLimit ?? defaultCharLimit,
    description: given.description ?? null,
    metadata: given.metadata ?? {},
    readOnly: given.readOnly ?? false,
    hidden: given.hidden ?? null,
    isTemplate: given.isTemplate ?? false,
    templateName: given.templateName ?? null,
    templateId: given.templateId ?? null,
    baseTemplateId: given.baseTemplateId ?? null,
    deploymentId: given.deploymentId ?? null,
    entityId: given.entityId ?? null,
    preserveOnMigration: given.preserveOnMigration ?? false,
    projectId: given.projectId ?? null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    createdBy: cause.userId,
    updatedBy: cause.userId,
  };
}

async function applyUpdate(
  scope: Scope,
  seen: Block,
  { tags, ...changes }: BlockUpdate,
  cause: BlockCause,
): Promise<TaggedBlock> {
  checkBlock({ ...seen, ...changes });
  const block = isChange(seen, changes) ? await writeBlock(scope, seen, changes, cause) : seen;
  if (tags) await replaceTags(scope, "block", seen.id, tags);
  return await withTags(scope, block);
}

function isChange(seen: Block, changes: BlockChanges): boolean {
  return Object.entries(changes).some(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(seen[field as keyof Block]),
  );
}

/** The rules every write of a block keeps, whoever writes. Characters are code points. */
export function checkBlock({ label, value, charLimit }: Pick<Block, "label" | "value" | "charLimit">): void {
  if (label.trim() === "") throw invalidInput("label", "a block needs a label: give it a short name such as human");
  if (charLimit < 1) throw invalidInput("limit", `limit is ${charLimit}; it must be at least 1`);
  // Never more code points than UTF-16 units, so most texts need no counting.
  const length = value.length <= charLimit ? value.length : countCharacters(value);
  if (length > charLimit) {
    throw invalidInput(
      "value",
      `the value of block "${label}" has ${length} characters, its limit is ${charLimit}: shorten it or raise the limit`,
    );
  }
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
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
