/** Pages of messages by sequence number, so that equal timestamps lose nothing. */
import { sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import type { Scope } from "../engine/scope.ts";
import type { Conversation } from "./conversations.ts";
import { type Message, messageColumns, messageEntity } from "./messages.ts";

export interface MessagePage {
  readonly limit: number;
  /** Which end is returned if there are more. */
  readonly from: "newest" | "oldest";
  /** Only messages after this one. */
  readonly after?: string;
  /** Only messages before this one. */
  readonly before?: string;
  readonly unknownCursor?: "fail" | "ignore";
}

export interface MessageFilter {
  readonly groupId?: string;
  readonly withErrors?: boolean;
}

/** Whose messages: of an agent (all conversations or one), a run, a step, or all agents. */
export type MessageOwner =
  | { readonly agentId: string }
  | { readonly conversationId: string }
  | { readonly runId: string }
  | { readonly stepId: string }
  | { readonly batchId: string; readonly agentId?: string }
  /** All agents, in their default conversations only or in all. */
  | { readonly inDefault: boolean };

/** Oldest first. */
export async function listMessages(
  scope: Scope,
  of: MessageOwner,
  page: MessagePage,
  filter: MessageFilter = {},
): Promise<Message[]> {
  const span = await findSpan(scope, page);
  const query = selectMessages(scope, filter, span, page);
  return cut(toPlaced(await narrow(scope, query, of).execute()), page);
}

type MessageQuery = ReturnType<typeof selectMessages>;

function narrow(scope: Scope, query: MessageQuery, of: MessageOwner): MessageQuery {
  if ("batchId" in of) {
    const runs = scope.select("batch_item").select("batch_item.run_id").where("batch_item.job_id", "=", of.batchId);
    const inBatch = query.where("message.run_id", "in", runs);
    return of.agentId === undefined ? inBatch : inBatch.where("message.agent_id", "=", of.agentId);
  }
  if ("agentId" in of) return query.where("message.agent_id", "=", of.agentId);
  if ("conversationId" in of) return query.where("message.conversation_id", "=", of.conversationId);
  if ("runId" in of) return query.where("message.run_id", "=", of.runId);
  if ("stepId" in of) return query.where("message.step_id", "=", of.stepId);
  if (!of.inDefault) return query;
  const places = scope.select("conversation").select("conversation.id").where("conversation.is_default", "=", 1);
  return query.where("message.conversation_id", "in", places);
}

/**
 * All messages of a conversation, including copied ones, oldest first. The system message comes first, though that of a
 * fork is younger than the messages it copied.
 */
export async function listConversationMessages(
  scope: Scope,
  { id, systemMessageId, summaryMessageId }: Conversation,
  page: MessagePage,
  filter: MessageFilter = {},
): Promise<Message[]> {
  const span = await findSpan(scope, page, systemMessageId);
  const own = await selectMessages(scope, filter, span, page)
    .where("message.conversation_id", "=", id)
    .where("message.id", "<>", systemMessageId ?? "")
    .execute();
  const taken = await selectMessages(scope, filter, span, page, lookedUp)
    .where("message.id", "in", selectTaken(scope, id, summaryMessageId))
    .where("message.conversation_id", "<>", id)
    .execute();
  const isHeadInside = span.after < systemPlace && span.before > systemPlace;
  const head =
    isHeadInside && systemMessageId !== null
      ? await selectMessages(scope, filter, everything, page).where("message.id", "=", systemMessageId).execute()
      : [];
  return cut([...toPlaced(head, systemPlace), ...toPlaced(taken), ...toPlaced(own)], page);
}

function selectTaken(scope: Scope, conversationId: string, summaryMessageId: string | null) {
  const entries = scope
    .select("context_entry")
    .select("message_id as id")
    .where("conversation_id", "=", conversationId);
  if (summaryMessageId === null) return entries;
  return entries.union(scope.select("message").select("id").where("id", "=", summaryMessageId));
}

/** The unary plus makes SQLite sort after the lookup by id; otherwise it would scan all messages in order. */
const lookedUp = sql<number>`+message.seq`;

interface Placed {
  readonly place: number;
  readonly message: Message;
}

/** Exclusive at both ends. */
interface Span {
  readonly after: number;
  readonly before: number;
}

const systemPlace = 0;
const everything: Span = { after: -1, before: Number.MAX_SAFE_INTEGER };

async function findSpan(scope: Scope, page: MessagePage, systemMessageId?: string | null): Promise<Span> {
  const find = async (id: string | undefined, otherwise: number): Promise<number> => {
    if (id === undefined) return otherwise;
    if (id === systemMessageId) return systemPlace;
    const row = await scope.select("message").select("seq").where("id", "=", id).executeTakeFirst();
    if (!row && page.unknownCursor !== "ignore") throw notFound("message", id);
    return row?.seq ?? otherwise;
  };
  return { after: await find(page.after, everything.after), before: await find(page.before, everything.before) };
}

function selectMessages(
  scope: Scope,
  { groupId, withErrors }: MessageFilter,
  { after, before }: Span,
  page: MessagePage,
  order = sql.ref<number>("message.seq"),
) {
  let query = scope
    .select("message")
    .select(messageColumns)
    .select("message.seq")
    .where("message.deleted_at", "is", null)
    .where(order, ">", after)
    .where(order, "<", before)
    .orderBy(order, page.from === "newest" ? "desc" : "asc")
    .limit(page.limit);
  if (groupId !== undefined) query = query.where("message.group_id", "=", groupId);
  if (!withErrors) query = query.where("message.is_error", "=", 0);
  return query;
}

function toPlaced(rows: readonly (object & { readonly seq: number })[], place?: number): Placed[] {
  return rows.map((row) => ({ place: place ?? row.seq, message: messageEntity.codec.decode(row) }));
}

function cut(placed: readonly Placed[], { limit, from }: MessagePage): Message[] {
  const sorted = placed.toSorted((left, right) => left.place - right.place);
  const kept = from === "newest" ? sorted.slice(Math.max(0, sorted.length - limit)) : sorted.slice(0, limit);
  return kept.map(({ message }) => message);
}
