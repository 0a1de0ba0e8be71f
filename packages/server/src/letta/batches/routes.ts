/** `/v1/messages/batches`: many messages at once, answered in the background. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toStoredMessageWire } from "../context/stored-message.ts";
import { toJobWire } from "../jobs/mapper.ts";
import { JobWire } from "../jobs/schema.ts";
import { requestIdOf } from "../messages/send.ts";
import { Nothing } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { checkBatchId, fromBatchMessageList, fromCreateBatch } from "./mapper.ts";
import { BatchListQuery, BatchMessageListQuery, BatchMessagesWire, BatchParams, CreateBatchWire } from "./schema.ts";

const tag = "batches";

export function batchRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/messages/batches",
      operationId: "create_batch",
      summary: "Send messages to many agents, to be answered in the background",
      tag,
      access: "member",
      scope: "none",
      body: CreateBatchWire,
      response: JobWire,
      handler: async ({ actor, body, request }) =>
        toJobWire(await memoir.batches.create(actor, fromCreateBatch(body, requestIdOf(request)))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/messages/batches",
      operationId: "list_batches",
      summary: "List batches that are not done",
      tag,
      access: "read",
      scope: "none",
      query: BatchListQuery,
      response: z.array(JobWire),
      handler: async ({ actor, query }) =>
        (await memoir.batches.list(actor, toPage(query, { limit: 100, order: "desc" }))).map(toJobWire),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/messages/batches/{batch_id}",
      operationId: "retrieve_batch",
      summary: "Retrieve a batch",
      tag,
      access: "read",
      scope: "none",
      params: BatchParams,
      response: JobWire,
      handler: async ({ actor, params }) => toJobWire(await memoir.batches.get(actor, checkBatchId(params.batch_id))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/messages/batches/{batch_id}/messages",
      operationId: "list_messages_for_batch",
      summary: "List what was said in the runs of a batch",
      tag,
      access: "read",
      scope: "none",
      params: BatchParams,
      query: BatchMessageListQuery,
      response: BatchMessagesWire,
      handler: async ({ actor, params, query }) => {
        const request = fromBatchMessageList(query);
        const found = await memoir.batches.messages(actor, checkBatchId(params.batch_id), request);
        const messages = found.map(({ message, isDefault }) => toStoredMessageWire(message, isDefault));
        return { messages: request.page.from === "newest" ? messages.toReversed() : messages };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/messages/batches/{batch_id}/cancel",
      operationId: "cancel_batch",
      summary: "Cancel what is left of a batch",
      tag,
      access: "member",
      scope: "none",
      params: BatchParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.batches.cancel(actor, checkBatchId(params.batch_id));
        return null;
      },
    }),
  ];
}
