/** What sending a message to an agent and to a conversation have in common. */
import { type Actor, type Memoir, MemoirError, type Run, type RunFailure } from "@memoir/core";
import { type MessageView, toSendResponse } from "./mapper.ts";
import type { SendMessageWire, SendResponseWire } from "./schema.ts";

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

/** What went wrong inside the run is this request's error; the message itself is kept. */
function refuseFailure(failure: RunFailure | undefined): void {
  if (!failure) return;
  if (failure.code === "internal") throw new Error(failure.message);
  throw new MemoirError(failure.code, failure.message);
}
