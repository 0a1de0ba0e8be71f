/** Sending a message, to an agent or to a conversation, whatever form the answer has. */
import {
  type Actor,
  type AgentKind,
  type ConversationPlace,
  isMemoirError,
  type Memoir,
  MemoirError,
  type Run,
  type RunFailure,
  type SendMessage,
} from "@memoir/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AnswerError } from "../../answer-error.ts";
import { detailOf } from "../../errors.ts";
import { fromSendMessage } from "./input-mapper.ts";
import { type MessageView, toSendResponse, type ViewWire, viewOf } from "./mapper.ts";
import type { SendMessageWire, SendResponseWire } from "./schema.ts";
import { answerStream } from "./stream.ts";

/** In the plain form of an error, which clients of the old server read; other refusals come as lists. */
export function rejectNothing({ messages }: Pick<SendMessageWire, "messages">): void {
  if (messages?.length === 0) throw Object.assign(new Error("Messages must not be empty"), { statusCode: 422 });
}

export interface Sending {
  readonly actor: Actor;
  readonly place: ConversationPlace;
  readonly body: SendMessageWire;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly isStreamed: boolean;
  /** What is not in the body. */
  readonly given?: Partial<SendMessage>;
}

/** A request that finds its conversation busy waits; in this mode it is refused where the old server did so. */
export interface BusyMode {
  readonly refusesBusy: boolean;
}

/** The run that answers, begun by this request or by the same one made before. */
export async function beginSend(
  memoir: Memoir,
  { actor, place, body, request, isStreamed, given: input }: Sending,
): Promise<Run> {
  rejectNothing(body);
  const named = { key: keyOf(request), requestId: requestIdOf(request) };
  const message: SendMessage = { ...fromSendMessage(body), ...input, ...named };
  try {
    return await memoir.messages.sendAt(actor, place, message);
  } catch (error) {
    // By then the old server had begun its stream, so that is where its clients look.
    if (isStreamed && isApprovalError(error)) return await memoir.messages.refuse(actor, place, message, error);
    throw error;
  }
}

/** By which a request that is sent again is known. */
export function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  return typeof key === "string" && key !== "" ? key : undefined;
}

/** What gateways before the server call the request in their logs. */
export function requestIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers["x-api-request-log-id"];
  return typeof id === "string" && id !== "" ? id.slice(0, longestRequestId) : undefined;
}

const longestRequestId = 200;

function isApprovalError(error: unknown): error is MemoirError {
  return isMemoirError(error, "approval-pending") || isMemoirError(error, "approval-mismatch");
}

/** Sends and answers, as events or whole. */
export async function answerSending(memoir: Memoir, sending: Sending): Promise<SendResponseWire> {
  const { actor, body, reply, isStreamed } = sending;
  const run = await beginSend(memoir, sending);
  const kind = await memoir.agents.getKind(actor, run.agentId);
  if (isStreamed) return await answerWithStream(memoir, actor, run, kind, reply);
  return await answerSend(memoir, actor, run, viewOf(kind, body));
}

/** On this path alone the old server says more than a sentence. */
export async function withPendingId<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!isMemoirError(error, "approval-pending")) throw error;
    const detail = { code: "PENDING_APPROVAL", message: detailOf(error), pending_request_id: error.details.id ?? null };
    throw new AnswerError(409, { detail }, { "x-should-retry": "false" });
  }
}

/** Waits for the run's end. */
export async function answerSend(memoir: Memoir, actor: Actor, run: Run, view: MessageView): Promise<SendResponseWire> {
  const result = await memoir.messages.complete(actor, run.id);
  rejectFailure(result.failure);
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
function rejectFailure(failure: RunFailure | undefined): void {
  if (!failure) return;
  if (failure.code === "internal") throw new Error(failure.message);
  throw new MemoirError(failure.code, failure.message);
}
