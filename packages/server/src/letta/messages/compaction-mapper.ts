/** A compaction as callers see it who asked to: that it happened, and the summary that stands in place of what left. */
import { type RunPiece, textOf } from "@memoir/core";
import { toWireDate } from "../shared/time.ts";
import type { MessageWire } from "./schema.ts";

export type CompactionPiece = Extract<RunPiece, { type: "compaction" }>;

export function toCompactionWires(
  { event, summary }: Pick<CompactionPiece, "event" | "summary">,
  run: { readonly id: string; readonly updatedAt: number },
  /** Only items of these types, where it matters. */
  types: ReadonlySet<string> | undefined,
): MessageWire[] {
  const base = {
    date: toWireDate(summary?.createdAt ?? run.updatedAt),
    name: null,
    otid: null,
    sender_id: null,
    step_id: null,
    is_err: null,
    seq_id: null,
    run_id: run.id,
  };
  const items: MessageWire[] = [
    {
      id: event.summaryMessageId.slice("message-".length),
      ...base,
      message_type: "event_message",
      event_type: "compaction",
      event_data: {
        trigger: event.trigger,
        context_token_estimate: event.tokensBefore,
        context_window: event.contextWindow,
      },
    },
    {
      id: event.summaryMessageId,
      ...base,
      message_type: "summary_message",
      summary: textOf(summary?.content),
      compaction_stats: {
        trigger: event.trigger,
        context_tokens_before: event.tokensBefore,
        context_tokens_after: event.tokensAfter,
        context_window: event.contextWindow,
        messages_count_before: event.messagesBefore,
        messages_count_after: event.messagesAfter,
      },
    },
  ];
  return types ? items.filter((item) => types.has(item.message_type)) : items;
}
