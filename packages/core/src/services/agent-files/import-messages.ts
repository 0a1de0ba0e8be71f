/**
 * The messages of an imported agent become rows of its default conversation, in the order they were said. What was in
 * context is so again; the system message is compiled anew by the first turn.
 */
import { storeImages } from "../../memory/images.ts";
import { searchTextOf } from "../../memory/search-text.ts";
import type { Actor } from "../../shared/actor.ts";
import type { ContentPart } from "../../shared/content.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { Agent } from "../../store/agents/agents.ts";
import { insertConversation, replaceEntries } from "../../store/conversations/conversations.ts";
import { insertMessages, type Message, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { PortableAgent, PortableMessage } from "./agent-file-format.ts";

export async function importMessages(
  scope: Scope,
  actor: Actor,
  agent: Agent,
  input: PortableAgent,
  groups: ReadonlyMap<string, string>,
): Promise<void> {
  const conversationId = scope.newId("conv");
  const context = sortContext(input);
  const inContext = new Set(context.body);
  const origin = { agentId: agent.id, conversationId, createdBy: actor.userId, updatedBy: actor.userId };
  const rows = new Map<string, Message>();
  for (const message of input.messages) {
    const content = message.content && (await storeImages(scope, { content: message.content.map(unseal) })).content;
    rows.set(message.id, toRow(scope, origin, { ...message, content }, inContext.has(message.id), groups));
  }
  const stored = context.system === undefined ? undefined : rows.get(context.system);
  const system =
    stored ?? newMessage(scope, { ...origin, role: "system", content: textOf(agent.system), inContext: false });
  const conversation = await insertConversation(scope, {
    id: conversationId,
    agentId: agent.id,
    isDefault: true,
    systemMessageId: system.id,
    summaryMessageId: context.summary === undefined ? null : (rows.get(context.summary)?.id ?? null),
    lastMessageAt: lastOf(input.messages),
    createdBy: actor.userId,
  });
  await insertMessages(scope, stored ? [...rows.values()] : [system, ...rows.values()]);
  if (context.isInOrder) return;
  await replaceEntries(
    scope,
    conversation,
    context.body.flatMap((id) => rows.get(id)?.id ?? []),
  );
}

interface SortedContext {
  readonly system: string | undefined;
  readonly summary: string | undefined;
  /** The rest, in order. */
  readonly body: readonly string[];
  /** Whether that is the order in which it was said. */
  readonly isInOrder: boolean;
}

function sortContext({ messages, contextIds }: PortableAgent): SortedContext {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const missing = contextIds.find((id) => !places.has(id));
  if (missing !== undefined) {
    throw new MemoirError("invalid-argument", `the context names ${missing}, which is not among the messages`, {
      details: { id: missing },
    });
  }
  const roleOf = (id: string | undefined) => messages[places.get(id ?? "") ?? -1]?.role;
  const distinct = [...new Set(contextIds)];
  const system = roleOf(distinct[0]) === "system" ? distinct.shift() : undefined;
  const summary = roleOf(distinct[0]) === "summary" ? distinct.shift() : undefined;
  const order = distinct.map((id) => places.get(id) ?? 0);
  return {
    system,
    summary,
    body: distinct,
    isInOrder: order.every((place, index) => place >= (order[index - 1] ?? 0)),
  };
}

type Origin = Pick<Message, "agentId" | "conversationId" | "createdBy" | "updatedBy">;

function toRow(
  scope: Scope,
  origin: Origin,
  message: PortableMessage,
  inContext: boolean,
  groups: ReadonlyMap<string, string>,
): Message {
  const at = message.createdAt ?? scope.now();
  return newMessage(scope, {
    ...origin,
    role: message.role,
    content: message.content,
    toolCalls: message.toolCalls?.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })) ?? null,
    toolReturns: message.toolReturns,
    toolCallId: message.toolCallId,
    approvals: message.approvals,
    name: message.name,
    model: message.model,
    groupId: message.groupId === null ? null : (groups.get(message.groupId) ?? null),
    inContext,
    searchText: searchTextOf(message),
    createdAt: at,
    updatedAt: at,
  });
}

/** A provider's seals are good for the account they were made for, and it refuses whole requests over any other. */
function unseal(part: ContentPart): ContentPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "reasoning", text: part.text, isNative: part.isNative };
    case "redacted-reasoning":
    case "omitted-reasoning":
      return { type: "omitted-reasoning" };
    case "summarized-reasoning":
      return { type: "summarized-reasoning", id: part.id, summary: part.summary };
    case "image":
      return part;
  }
}

const textOf = (text: string): ContentPart[] => [{ type: "text", text }];

function lastOf(messages: readonly PortableMessage[]): number | null {
  const moments = messages.flatMap(({ createdAt }) => createdAt ?? []);
  return moments.length === 0 ? null : moments.reduce((left, right) => Math.max(left, right));
}
