/** What sending a message to an agent and to a conversation have in common. */
import { type Actor, type AgentKind, type Memoir, MemoirError, type Run, type RunFailure } from "@memoir/core";
import type { FastifyReply } from "fastify";
import { type MessageView, toSendResponse, type ViewWire, viewOf } from "./mapper.ts";
import type { SendMessageWire, SendResponseWire } from "./schema.ts";
import { answerStream } from "./stream.ts";

/** In the plain form of an error, which clients of the old server read; other refusals come as lists. */
export function refuseNothing({ messages }: Pick<SendMessageWire, "messages">): void {
  if (messages?.length === 0) throw Object.assign(new Error("Messages must not be empty"), { statusCode: 422 });
}

/** Waits for the run's end. */
export async function answerSend(memoir: Memoir, actor: Actor, run: Run, view: MessageView): Promise<SendResponseWire> {
  const result = await memoir.messages.complete(actor, run.id);
  refuseFailure(result.failure);
  return toSendResponse(result, view);
}

/** The same as events, from the beginning of the run or after the event with that number. */
export async function answerWithStream(
  memoir: Memoir,
  actor: Actor,
  run: Run,
  kind: AgentKind,
  reply: FastifyReply,
  { after = 0, hasPings }: { after?: number; hasPings?: boolean } = {},
): Promise<never> {
  const wire = run.request.view as ViewWire & { include_pings?: boolean; include_compaction_messages?: boolean };
  await answerStream(
    memoir,
    actor,
    run,
    {
      view: viewOf(kind, wire),
      hasPings: hasPings ?? wire.include_pings ?? true,
      hasCompactions: wire.include_compaction_messages ?? false,
      after,
    },
    reply,
  );
  // The reply has been written; there is nothing left to answer.
  return undefined as never;
}

/** What went wrong inside the run is this request's error; the message itself is kept. */
function refuseFailure(failure: RunFailure | undefined): void {
  if (!failure) return;
  if (failure.code === "internal") throw new Error(failure.message);
  throw new MemoirError(failure.code, failure.message);
}
