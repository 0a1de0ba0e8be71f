/** How a conversation comes to be: new, or forked off another one. */
import type { Actor } from "../../shared/actor.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { loadAgentBlocks } from "../../store/agents/agent-blocks.ts";
import { type Agent, getAgent } from "../../store/agents/agents.ts";
import type { Block } from "../../store/blocks/blocks.ts";
import { isolateBlocks, loadIsolatedBlocks } from "../../store/blocks/conversation-blocks.ts";
import {
  appendEntries,
  type Conversation,
  insertConversation,
  listContextBodyIds,
} from "../../store/conversations/conversations.ts";
import { insertMessages, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { apiCause, createBlocks } from "../blocks/blocks.ts";
import { compilePrompt, storePrompt } from "./conversation-prompt.ts";

export interface NewConversation {
  readonly title?: string;
  /** Blocks of the agent that this conversation gets copies of, to change without the others seeing it. */
  readonly isolatedBlockLabels?: readonly string[];
  /** A model for this conversation, by its handle. */
  readonly model?: string;
  readonly modelSettings?: Partial<ModelConfig>;
}

export async function createConversation(
  scope: Scope,
  actor: Actor,
  agentId: string,
  input: NewConversation,
): Promise<Conversation> {
  const agent = await getAgent(scope, agentId);
  const blocks = await findBlocks(scope, agentId, input.isolatedBlockLabels ?? []);
  const conversation = await openConversation(scope, actor, agent, {
    title: input.title ?? null,
    model: input.model ?? null,
    modelSettings: input.modelSettings ?? null,
  });
  await copyBlocks(scope, actor, conversation.id, blocks);
  await storePrompt(scope, conversation, await compilePrompt(scope, conversation, agent));
  return conversation;
}

export interface ForkOptions {
  /** The last message to take over; without, all that is in context. */
  readonly untilMessageId?: string;
}

/** Shares what the other one has in context; its isolated blocks are copied, its title is not. */
export async function forkConversation(
  scope: Scope,
  actor: Actor,
  source: Conversation,
  { untilMessageId }: ForkOptions,
): Promise<Conversation> {
  const taken = cutAfter(await listContextBodyIds(scope, source), untilMessageId);
  const agent = await getAgent(scope, source.agentId);
  const conversation = await openConversation(scope, actor, agent, {
    model: source.model,
    modelSettings: source.modelSettings,
    summaryMessageId: source.summaryMessageId,
  });
  await appendEntries(scope, conversation.id, 0, taken);
  await copyBlocks(scope, actor, conversation.id, (await loadIsolatedBlocks(scope, [source.id])).get(source.id) ?? []);
  await storePrompt(scope, conversation, await compilePrompt(scope, conversation, agent));
  return conversation;
}

function cutAfter(ids: readonly string[], last: string | undefined): readonly string[] {
  if (last === undefined) return ids;
  const index = ids.indexOf(last);
  if (index >= 0) return ids.slice(0, index + 1);
  throw new MemoirError(
    "invalid-argument",
    `message "${last}" is not in the context of this conversation: name one that is, or none to take over all of them`,
    { details: { field: "message_id" } },
  );
}

async function openConversation(
  scope: Scope,
  actor: Actor,
  agent: Agent,
  input: Partial<Conversation>,
): Promise<Conversation> {
  const id = scope.newId("conv");
  const system = newMessage(scope, {
    agentId: agent.id,
    conversationId: id,
    role: "system",
    content: [],
    model: agent.model.model,
    inContext: false,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  });
  const conversation = await insertConversation(scope, {
    ...input,
    id,
    agentId: agent.id,
    isDefault: false,
    systemMessageId: system.id,
    createdBy: actor.userId,
  });
  await insertMessages(scope, [system]);
  return conversation;
}

async function findBlocks(scope: Scope, agentId: string, labels: readonly string[]): Promise<Block[]> {
  if (labels.length === 0) return [];
  const held = (await loadAgentBlocks(scope, [agentId])).get(agentId) ?? [];
  const known = new Map(held.map((block) => [block.label, block]));
  return [...new Set(labels)].map((label) => {
    const block = known.get(label);
    if (block) return block;
    const has = known.size === 0 ? "it has no blocks" : `it has ${[...known.keys()].join(", ")}`;
    throw new MemoirError(
      "invalid-argument",
      `agent "${agentId}" has no block labelled "${label}" to isolate: ${has}`,
      {
        details: { field: "isolated_block_labels" },
      },
    );
  });
}

async function copyBlocks(scope: Scope, actor: Actor, conversationId: string, blocks: readonly Block[]): Promise<void> {
  if (blocks.length === 0) return;
  const copies = blocks.map(({ label, value, charLimit, description, metadata, readOnly }) => ({
    label,
    value,
    charLimit,
    description,
    metadata,
    readOnly,
  }));
  await isolateBlocks(scope, conversationId, await createBlocks(scope, copies, apiCause(actor)));
}
