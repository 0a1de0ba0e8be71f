/** `/v1/agents/{agent_id}/messages`: talking to an agent. */
import { type Memoir, MemoirError, type RunFailure } from "@memoir/core";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams } from "../agents/schema.ts";
import { fromSendMessage, toSendResponse, viewOf } from "./mapper.ts";
import { SendMessageWire, SendResponseWire } from "./schema.ts";

const tag = "messages";

export function messageRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/messages",
      operationId: "send_message",
      summary: "Send a message to an agent and wait for its answer",
      tag,
      params: AgentParams,
      body: SendMessageWire,
      response: SendResponseWire,
      handler: async ({ actor, params, body }) => {
        if (body.streaming) {
          throw new MemoirError("not-implemented", "Streaming is not there yet: send without streaming: true.");
        }
        refuseNothing(body);
        const kind = await memoir.agents.getKind(actor, params.agent_id);
        const run = await memoir.messages.send(actor, params.agent_id, fromSendMessage(body));
        const result = await memoir.messages.complete(actor, run.id);
        refuseFailure(result.failure);
        return toSendResponse(result, viewOf(kind, body));
      },
    }),
  ];
}

/** In the plain form of an error, which clients of the old server read; other refusals come as lists. */
function refuseNothing({ messages }: SendMessageWire): void {
  if (messages?.length === 0) throw Object.assign(new Error("Messages must not be empty"), { statusCode: 422 });
}

/** What went wrong inside the run is this request's error; the message itself is kept. */
function refuseFailure(failure: RunFailure | undefined): void {
  if (!failure) return;
  if (failure.code === "internal") throw new Error(failure.message);
  throw new MemoirError(failure.code, failure.message);
}
