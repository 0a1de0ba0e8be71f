/** Batches of messages on the wire. */
import { z } from "zod";
import { StoredMessageWire } from "../context/stored-message.ts";
import { hasOneInput, oneInput, type SendMessageWire, sendShape } from "../messages/schema.ts";
import { optional, wireList, wireName } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryEnum, queryText } from "../shared/query.ts";

export interface BatchRequestWire extends SendMessageWire {
  agent_id: string;
}

const BatchRequestWire: z.ZodType<BatchRequestWire> = z
  .object({ ...sendShape, agent_id: idSchema("agent") })
  .refine(hasOneInput, oneInput)
  .meta({ id: "LettaBatchRequest" });

export interface CreateBatchWire {
  requests: BatchRequestWire[];
  callback_url?: string;
}

export const CreateBatchWire: z.ZodType<CreateBatchWire> = z
  .object({ requests: wireList(BatchRequestWire), callback_url: optional(z.string().min(1).max(2083)) })
  .meta({ id: "CreateBatch" });

export interface BatchMessagesWire {
  messages: StoredMessageWire[];
}

export const BatchMessagesWire: z.ZodType<BatchMessagesWire> = z
  .strictObject({ messages: z.array(StoredMessageWire) })
  .meta({ id: "LettaBatchMessages" });

export interface BatchParams {
  batch_id: string;
}

/** Its form is checked later, as an argument. */
export const BatchParams: z.ZodType<BatchParams> = z.object({ batch_id: wireName });

export interface BatchListQuery extends PageQuery {
  order_by?: "created_at";
}

export const BatchListQuery: z.ZodType<BatchListQuery> = z.object({ ...pageShape, order_by: queryEnum("created_at") });

export interface BatchMessageListQuery extends BatchListQuery {
  agent_id?: string;
}

export const BatchMessageListQuery: z.ZodType<BatchMessageListQuery> = z.object({
  ...pageShape,
  order_by: queryEnum("created_at"),
  agent_id: queryText,
});
