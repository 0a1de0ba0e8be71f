/** Reconstructs the messages in a step's prompt from their positions. */
import type { ContextRange } from "../../shared/prompt-snapshot.ts";
import type { Scope } from "../engine/scope.ts";
import type { Step } from "../runs/steps.ts";
import { findMessage, type Message, messageColumns, messageEntity } from "./messages.ts";

export interface ShownMessages {
  /** The summary, if any, and entries. */
  readonly taken: readonly Message[];
  /** The conversation's own messages when the turn began. */
  readonly own: readonly Message[];
  /** Messages that the turn had added before the step. */
  readonly added: readonly Message[];
}

export type Place = Pick<Step, "runId" | "conversationId">;

export async function loadShownMessages(scope: Scope, place: Place, trail: ContextRange): Promise<ShownMessages> {
  const { summaryMessageId } = trail;
  const summary = summaryMessageId === null ? undefined : await findMessage(scope, summaryMessageId);
  return {
    taken: [...(summary ? [summary] : []), ...(await listEntries(scope, place, trail))],
    own: await listOwn(scope, place, trail),
    added: await listAdded(scope, place, trail),
  };
}

async function listEntries(scope: Scope, { conversationId }: Place, trail: ContextRange): Promise<Message[]> {
  if (trail.entries === 0) return [];
  const rows = await scope
    .select("message")
    .innerJoin("context_entry", "context_entry.message_id", "message.id")
    .select(messageColumns)
    .where("context_entry.conversation_id", "=", conversationId)
    .where("context_entry.position", ">=", trail.entryWatermark)
    .orderBy("context_entry.position")
    .limit(trail.entries)
    .execute();
  return rows.map((row) => messageEntity.codec.decode(row));
}

async function listOwn(scope: Scope, { conversationId }: Place, trail: ContextRange): Promise<Message[]> {
  if (trail.lastSeq < trail.watermark) return [];
  const rows = await scope
    .select("message")
    .select(messageColumns)
    .where("conversation_id", "=", conversationId)
    .where("in_context", "=", 1)
    .where("seq", ">=", trail.watermark)
    .where("seq", "<=", trail.lastSeq)
    .orderBy("seq")
    .execute();
  return rows.map((row) => messageEntity.codec.decode(row));
}

async function listAdded(scope: Scope, { runId }: Place, trail: ContextRange): Promise<Message[]> {
  if (trail.added === 0) return [];
  const rows = await scope
    .select("message")
    .select(messageColumns)
    .where("run_id", "=", runId)
    .where("in_context", "=", 1)
    .where("seq", ">", Math.max(trail.lastSeq, trail.watermark - 1))
    .orderBy("seq")
    .limit(trail.added)
    .execute();
  return rows.map((row) => messageEntity.codec.decode(row));
}
