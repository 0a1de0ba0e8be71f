/** Batches between core and wire. */
import { isId, MemoirError, type MessageListRequest, type NewBatch } from "@memoir/core";
import { fromSendMessage } from "../messages/mapper.ts";
import { toPage } from "../shared/paging.ts";
import type { BatchMessageListQuery, CreateBatchWire } from "./schema.ts";

export function checkBatchId(id: string): string {
  if (isId("job", id)) return id;
  throw new MemoirError("invalid-argument", `Invalid batch ID format: ${id}. Expected format: 'job-<uuid4>'`);
}

export function fromCreateBatch({ requests, callback_url }: CreateBatchWire): NewBatch {
  return {
    requests: requests.map((request) => ({
      agentId: request.agent_id,
      message: { ...fromSendMessage(request), kind: "send_message_batch" },
    })),
    metadata: { job_type: "batch_messages" },
    callbackUrl: callback_url,
  };
}

/** Cursors follow the order asked for. */
export function fromBatchMessageList(query: BatchMessageListQuery): MessageListRequest & { agentId?: string } {
  const { limit, order, after, before } = toPage(query, { limit: 100, order: "desc" });
  const page =
    order === "desc"
      ? { limit, from: "newest" as const, after: before, before: after }
      : { limit, from: "oldest" as const, after, before };
  return { page, agentId: query.agent_id || undefined };
}
