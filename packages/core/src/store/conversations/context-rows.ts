/** A conversation's context with the watermarks of each message, for moving the start of the context. */
import type { Scope } from "../engine/scope.ts";
import { type Conversation, listContextMessages } from "./conversations.ts";
import { type Message, messageColumns, messageEntity } from "./messages.ts";

export interface ContextRow {
  readonly message: Message;
  /** The watermarks for a context that begins with this message. */
  readonly start: Watermarks;
  /** The watermarks for a context that begins after this message. */
  readonly end: Watermarks;
}

export type Watermarks = Pick<Conversation, "watermark" | "entryWatermark">;

type Place = Pick<Conversation, "id" | "watermark" | "entryWatermark">;

/** Without the system message and the summary, in order. */
export async function listContextRows(scope: Scope, conversation: Place): Promise<ContextRow[]> {
  const { watermark } = conversation;
  const entries = await listEntries(scope, conversation);
  const own = await listContextMessages(scope, conversation, 0);
  const afterEntries = (entries.at(-1)?.position ?? conversation.entryWatermark - 1) + 1;
  return [
    ...entries.map(({ message, position }) => ({
      message,
      start: { watermark, entryWatermark: position },
      end: { watermark, entryWatermark: position + 1 },
    })),
    ...own.map((message) => ({
      message,
      start: { watermark: message.seq, entryWatermark: afterEntries },
      end: { watermark: message.seq + 1, entryWatermark: afterEntries },
    })),
  ];
}

async function listEntries(
  scope: Scope,
  { id, entryWatermark }: Place,
): Promise<{ readonly message: Message; readonly position: number }[]> {
  const rows = await scope
    .select("message")
    .innerJoin("context_entry", "context_entry.message_id", "message.id")
    .select(messageColumns)
    .select("context_entry.position")
    .where("context_entry.conversation_id", "=", id)
    .where("context_entry.position", ">=", entryWatermark)
    .orderBy("context_entry.position")
    .execute();
  return rows.map((row) => ({ message: messageEntity.codec.decode(row), position: Number(row.position) }));
}
