/** Batches between core and wire. */
import { isId, MemoirError, type MessageListRequest, type NewBatch } from "@memoir/core";
import { fromSendMessage } from "../messages/input-mapper.ts";
import { fromOrderedPage } from "../messages/list-mapper.ts";
import type { BatchMessageListQuery, CreateBatchWire } from "./schema.ts";

export function checkBatchId(id: string): string {
  if (isId("job", id)) return id;
  throw new MemoirError("invalid-argument", `Invalid batch ID format: ${id}. Expected format: 'job-<uuid4>'`);
}

export function fromCreateBatch({ requests, callback_url }: CreateBatchWire, requestId: string | undefined): NewBatch {
  return {
    requests: requests.map((request) => ({
      agentId: request.agent_id,
      message: { ...fromSendMessage(request), kind: "send_message_batch", requestId },
    })),
    metadata: { job_type: "batch_messages" },
    callbackUrl: callback_url,
  };
}

export function fromBatchMessageList(query: BatchMessageListQuery): MessageListRequest & { agentId?: string } {
  return { page: fromOrderedPage({ ...query, order: query.order ?? "desc" }), agentId: query.agent_id || undefined };
}
