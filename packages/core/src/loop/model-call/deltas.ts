/**
 * Logs a reply piece by piece while it grows. What a caller has seen is in the log, so it can be seen again; pieces that
 * come within a moment share a commit, and a reply that never came whole leaves its pieces and nothing else.
 */
import type { ModelChunk } from "../../model/model.ts";
import { type ErrorCode, isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { ReplyPiece, RunEvent } from "../../shared/events.ts";
import { appendEvents } from "../../store/runs/run-log.ts";
import { fenceDelta } from "../../store/runs/runs.ts";
import type { Drive } from "../commit.ts";
import { apply, type RunState } from "../state.ts";
import { writeRun } from "../write-run.ts";

export interface DeltaLog {
  add(chunk: ModelChunk): void;
  /** Everything is in the log; the state is that after it. Throws when it could not be written. */
  finish(): Promise<RunState>;
  /** The reply was broken off. Answers what to throw: with pieces in the log the call cannot quietly be made again. */
  fail(error: unknown): Promise<unknown>;
}

const momentMs = 20;

/** Refusals after which a smaller request is made. */
const askedAgain: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["llm-context-exceeded", "llm-bad-request"]);

export function openDeltas(
  drive: Drive,
  before: RunState,
  ids: { readonly stepId: string; readonly messageId: string },
  isAsked: (tool: string) => boolean,
): DeltaLog {
  let state = before;
  let pieces: ReplyPiece[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (pieces.length === 0) return;
    const event: RunEvent = { type: "delta", ...ids, pieces };
    pieces = [];
    writing = writing.then(async () => {
      state = await writeDelta(drive, state, event);
    });
    // Whoever finishes hears of it; until then nobody listens.
    writing.catch(() => {});
  }

  async function finish(): Promise<RunState> {
    flush();
    await writing;
    return state;
  }

  return {
    add(chunk) {
      const piece = toPiece(chunk, isAsked);
      if (!piece) return;
      pieces.push(piece);
      timer ??= setTimeout(flush, momentMs);
    },
    finish,
    async fail(error) {
      await finish();
      if (state === before || !isMemoirError(error) || !askedAgain.has(error.code)) return error;
      return new MemoirError("llm-error", error.message, { cause: error });
    },
  };
}

async function writeDelta(drive: Drive, before: RunState, event: RunEvent): Promise<RunState> {
  const { loop, run } = drive;
  const logged = await writeRun(drive, async (scope) => {
    await fenceDelta(scope, run);
    return await appendEvents(scope, run, before.length, [event]);
  });
  loop.bus.publish(run.id, logged, []);
  return apply(before, event);
}

function toPiece(chunk: ModelChunk, isAsked: (tool: string) => boolean): ReplyPiece | undefined {
  switch (chunk.type) {
    case "text-delta":
      return { type: "text", text: chunk.text };
    case "reasoning-delta":
      return { type: "reasoning", text: chunk.text };
    case "tool-call-start":
      return {
        type: "call",
        callId: chunk.callId,
        name: chunk.name,
        ...(isAsked(chunk.name) ? { isAsked: true } : {}),
      };
    case "tool-call-delta":
      return { type: "arguments", callId: chunk.callId, text: chunk.arguments };
    case "reply":
      return undefined;
  }
}
