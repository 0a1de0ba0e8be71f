/**
 * A run as the event stream clients of the old server read. The list of events is made from the run's log, so it is the
 * same for whoever reads it, at once or hours later; events that carry a number are numbered by their place in it.
 */
import {
  type Actor,
  type Memoir,
  MemoirError,
  type Message,
  type Run,
  type RunFailure,
  type RunPiece,
} from "@memoir/core";
import type { FastifyReply } from "fastify";
import { detailOf } from "../../errors.ts";
import { type EventStream, openEventStream } from "../../sse.ts";
import { llmErrorBody, toErrorType } from "../shared/llm-errors.ts";
import { toWireDate } from "../shared/time.ts";
import { toCompactionWires } from "./compaction-mapper.ts";
import { createDeltaMapper } from "./deltas.ts";
import { type MessageView, toMessageWires, toUsageWire } from "./mapper.ts";

export interface StreamOptions {
  readonly view: MessageView;
  readonly hasPings: boolean;
  /** Compactions are shown as events of their own. */
  readonly hasCompactions: boolean;
  /** Only events after this number. */
  readonly after: number;
}

const silenceMs = 20_000;
/** Nobody waits longer for a run that says nothing. */
const timeoutMs = 1_800_000;

/** Answers with the stream; ends with the run, or when the reader goes away. The run goes on either way. */
export async function answerStream(
  memoir: Memoir,
  actor: Actor,
  run: Run,
  wish: StreamOptions,
  reply: FastifyReply,
): Promise<void> {
  const stream = openEventStream(reply);
  const pulse = keepAlive(stream, run, wish);
  try {
    let number = 0;
    for await (const { data, event } of listEvents(memoir, actor, run, wish, stream.signal)) {
      number++;
      if (number <= wish.after) continue;
      pulse.beat(run.isBackground ? number : null);
      await stream.send(run.isBackground ? withNumber(data, number) : data, event);
    }
  } catch (error) {
    // The server is stopping: the run goes on at the next start, and the reader may come back for the rest.
    reply.log.warn({ err: error, runId: run.id }, "a stream was broken off");
  } finally {
    pulse.stop();
    stream.end();
  }
}

export interface WireEvent {
  readonly data: object | string;
  readonly event?: string;
}

/** All of them, from the first on. */
export async function* listEvents(
  memoir: Memoir,
  actor: Actor,
  run: Run,
  wish: StreamOptions,
  signal: AbortSignal,
): AsyncGenerator<WireEvent> {
  // The first one has an id of its own, so that a replay repeats it.
  if (wish.hasPings) yield { data: toPing(run, run.id.slice("run-".length), null) };
  const replies: Replies = new Map();
  for await (const piece of memoir.messages.watch(actor, run.id, signal)) yield* toEvents(piece, run, wish, replies);
}

/** Replies that were shown in pieces, by the id of their message. */
type Replies = Map<string, ReturnType<typeof createDeltaMapper>>;

function* toEvents(piece: RunPiece, run: Run, wish: StreamOptions, replies: Replies): Generator<WireEvent> {
  const { view, hasCompactions } = wish;
  switch (piece.type) {
    case "delta": {
      const { messageId, stepId, pieces } = piece.event;
      const owner = { messageId, stepId, runId: run.id, date: toWireDate(run.createdAt) };
      const show = replies.get(messageId) ?? createDeltaMapper(owner, view);
      replies.set(messageId, show);
      // One by one: a fast model puts thousands of pieces into one event, and each takes ten times its size on the wire.
      for (const one of pieces) for (const data of show(one)) yield { data };
      return;
    }
    case "step":
      // What was shown in pieces is not shown again.
      yield* showMessages(
        piece.messages.filter(({ id }) => !replies.has(id)),
        view,
      );
      return;
    case "compaction":
      if (!hasCompactions && piece.summary) yield* showMessages([piece.summary], view);
      if (hasCompactions) for (const data of toCompactionWires(piece, run, view.types)) yield { data };
      return;
    case "end":
      yield { data: { message_type: "stop_reason", stop_reason: piece.state.ended } };
      if (piece.failure) yield { data: toError(run, piece.failure), event: "error" };
      else if (piece.state.ended !== "cancelled") yield { data: toUsageWire(piece.state, view, usageForm(run)) };
      yield { data: "[DONE]" };
  }
}

/** The old server's token streams show no more of the usage than the provider said. */
const usageForm = ({ request }: Run) => ({ isAsReported: request.streamsTokens ?? false });

/** Heartbeats and notes to the agent are stored, but nobody said them. */
function* showMessages(messages: readonly Message[], view: MessageView): Generator<WireEvent> {
  const said = messages.filter(({ role }) => role !== "user" && role !== "system");
  for (const data of toMessageWires(said, view)) yield { data };
}

function toPing(run: Run, id: string, number: number | null) {
  return {
    id: `ping-${id}`,
    date: toWireDate(run.createdAt),
    name: null,
    message_type: "ping",
    otid: null,
    sender_id: null,
    step_id: null,
    is_err: null,
    seq_id: number,
    run_id: run.id,
  };
}

/** Failures whose own sentence says what to do about them. */
const toldCodes: ReadonlySet<RunFailure["code"]> = new Set<RunFailure["code"]>([
  "approval-pending",
  "llm-context-exceeded",
  "llm-system-prompt-exceeded",
]);

function toError(run: Run, { code, message }: RunFailure) {
  const known = code === "internal" ? undefined : llmErrorBody({ code, message });
  const texts = known?.error as { type: string; message: string; detail: string } | undefined;
  const own = code === "internal" ? message : detailOf(new MemoirError(code, message));
  return {
    message_type: "error_message",
    run_id: run.id,
    error_type: toErrorType(code),
    message: texts?.message ?? (toldCodes.has(code) ? own : "The run failed."),
    detail: texts?.detail ?? own,
    seq_id: null,
  };
}

/** Only what has the field: the end of a stream uses up numbers without showing them. */
function withNumber(data: object | string, number: number): object | string {
  return typeof data === "object" && "seq_id" in data ? { ...data, seq_id: number } : data;
}

/** Clients that hear nothing for a while hang up. */
function keepAlive(stream: EventStream, run: Run, { hasPings }: StreamOptions) {
  let last: number | null = null;
  let heardAt = Date.now();
  let sentAt = heardAt;
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - heardAt > timeoutMs) return stream.end();
    if (!hasPings || now - sentAt < silenceMs) return;
    sentAt = now;
    stream.offer(toPing(run, crypto.randomUUID(), last));
  }, 1_000).unref();
  return {
    beat(number: number | null) {
      last = number;
      heardAt = Date.now();
      sentAt = heardAt;
    },
    stop: () => clearInterval(timer),
  };
}
