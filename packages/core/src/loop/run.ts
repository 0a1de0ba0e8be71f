/**
 * Drives runs. Starting and resuming are the same: fold the log, decide, do, commit. Every commit is one transaction that
 * checks the run's epoch; a builtin tool runs inside the commit that logs its result.
 */
import type { ConversationKey } from "../jobs/jobs.ts";
import { MemoirError } from "../shared/errors.ts";
import type { LoggedEvent, RunEvent, StopReason } from "../shared/events.ts";
import { findDatabaseFault } from "../store/engine/database-faults.ts";
import { listEvents } from "../store/runs/run-log.ts";
import { fenceEnd, findNextRun, LostRunError, type Run, releaseRun } from "../store/runs/runs.ts";
import { resumeEvents } from "./approvals/apply-approval.ts";
import { commit, type Drive } from "./commit.ts";
import { compact, type Progress } from "./context/compact.ts";
import { failRun } from "./fail-run.ts";
import type { Loop } from "./loop.ts";
import { callModel } from "./model-call/call-model.ts";
import { countRequest } from "./model-call/measure.ts";
import { showContext } from "./model-call/request.ts";
import { apply, decide, initialState, type RunState } from "./state.ts";
import { takeRun } from "./take-run.ts";
import type { ResultEvent } from "./tool-calls/call-results.ts";
import { runBegunCalls } from "./tool-calls/outside-calls.ts";
import { loadTurn, type Turn } from "./turn.ts";
import { interruptCallers } from "./write-run.ts";

export async function drainConversation(loop: Loop, key: ConversationKey, stopping: AbortSignal): Promise<void> {
  const { orgId, conversationId } = key;
  while (!stopping.aborted) {
    const accepted = loop.accepted.get(conversationId);
    if (accepted) {
      loop.accepted.delete(conversationId);
      await driveRun({ loop, orgId, run: accepted, isFresh: true }, stopping);
      // Whoever sent something meanwhile has woken the conversation again, unless that was in vain: what waited behind a
      // question, and what someone gave way with.
      if (accepted.request.approval || loop.gaveWay.has(conversationId)) continue;
      return;
    }
    loop.gaveWay.delete(conversationId);
    const next = await findNextRun(loop.store.read(orgId), conversationId);
    if (!next) return;
    // Whoever accepts something wakes the conversation when it is theirs to work on.
    if (isArriving(loop, conversationId)) {
      loop.gaveWay.add(conversationId);
      return;
    }
    const run = isHeld(loop, next) ? next : await takeRun(loop, orgId, next);
    if (run) await driveRun({ loop, orgId, run, isFresh: false }, stopping);
  }
}

function isArriving({ accepting, accepted }: Loop, conversationId: string): boolean {
  return accepted.has(conversationId) || [...accepting].some((marks) => marks.has(conversationId));
}

/** A run left because of a fault of the database is still ours, unless another process took it over meanwhile. */
function isHeld({ held }: Loop, { id, epoch }: Run): boolean {
  const isOurs = held.get(id) === epoch;
  held.delete(id);
  return isOurs;
}

async function driveRun(input: Omit<Drive, "signal" | "stopping" | "spans">, stopping: AbortSignal): Promise<void> {
  const { loop, run } = input;
  const cancelling = new AbortController();
  loop.active.set(run.id, cancelling);
  const spans = loop.telemetry.openRun(run, loop.bus.takeOrigin(run.id));
  const drive: Drive = { ...input, spans, stopping, signal: AbortSignal.any([stopping, cancelling.signal]) };
  try {
    if (loop.cancelled.delete(run.id) || run.isCancelled) cancelling.abort();
    rejectAbandoned(run);
    await spans.within(() => advance(drive));
  } catch (error) {
    if (error instanceof LostRunError) loop.bus.drop(run.id);
    if (stopping.aborted) await release(drive);
    if (error instanceof LostRunError || stopping.aborted) return;
    const failure = cancelling.signal.aborted ? undefined : error;
    spans.fail(failure);
    const fault = findDatabaseFault(failure);
    if (fault === undefined) return await failRun(drive, failure);
    interruptCallers(loop, run.id, fault);
    loop.held.set(run.id, run.epoch);
    throw error;
  } finally {
    spans.end();
    loop.active.delete(run.id);
  }
}

const maxTakeovers = 5;

/** Whatever it is that ends the process, a reply too large for its memory for instance, it must not keep it from working. */
function rejectAbandoned({ takeovers }: Run): void {
  if (takeovers <= maxTakeovers) return;
  throw new MemoirError(
    "run-abandoned",
    `the process ended ${maxTakeovers + 1} times while it worked on this run, without getting any further: it is not tried again`,
  );
}

async function release({ loop, orgId, run }: Drive): Promise<void> {
  if (run.takeovers === 0) return;
  try {
    await loop.store.write(orgId, (scope) => releaseRun(scope, run));
  } catch (error) {
    loop.log.warn({ err: error, runId: run.id }, "a run under way counts as cut off by a crash, not by this stop");
  }
}

async function advance(drive: Drive): Promise<void> {
  const { loop, orgId, run, spans } = drive;
  const scope = loop.store.readWarm(orgId);
  let turn = await loadTurn(scope, loop, run);
  const events = drive.isFresh ? [] : await listEvents(scope, run.id);
  let state = events.reduce<RunState>(apply, initialState);
  if (events.length > 0) republish(drive, events);
  // Only an import can leave a run open whose log says that it ended.
  if (state.ended) return await closeEnded(drive, state.ended);
  // Begun by whoever worked on the run before: nobody knows whether they had their effect.
  let inDoubt: ReadonlySet<string> = new Set(state.open?.begun);
  let isBehind = run.request.approval !== undefined && (!state.isResumed || state.open?.resumed !== undefined);
  for (;;) {
    drive.signal.throwIfAborted();
    const action = decide(state, run.request);
    switch (action.type) {
      case "none":
        return;
      case "end":
        state = await commit(drive, turn, state, [{ type: "run-end", reason: action.reason }]);
        break;
      case "call-model":
        // Providers may number their calls anew in each reply: what comes is begun here.
        inDoubt = new Set();
        ({ turn, state } = await spans.inStep(state, () => callModel(drive, turn, state)));
        break;
      case "compact":
        ({ turn, state } = await compactOnRequest(drive, turn, state));
        break;
      case "resume":
        state = await spans.inStep(state, () => commit(drive, turn, state, resumeEvents(run)));
        break;
      case "run-tools":
        state = await spans.inStep(state, () => runTools(drive, turn, state, inDoubt));
        break;
      case "close-step":
        state = await spans.inStep(state, () => commit(drive, turn, state, []));
        break;
    }
    spans.reach(state, drive.call?.stepId);
    // What another run had asked is whole only now, and what came with the answers is behind it.
    if (isBehind && !state.open && state.isResumed) {
      turn = await loadTurn(scope, loop, run);
      isBehind = false;
    }
  }
}

/** What a commit whose answer was lost has logged was told to no caller yet; they know what they have seen by its number. */
function republish({ loop, run }: Drive, events: readonly LoggedEvent[]): void {
  loop.bus.drop(run.id);
  loop.bus.publish(run.id, events, []);
}

async function closeEnded({ loop, orgId, run }: Drive, reason: StopReason): Promise<void> {
  await loop.store.write(orgId, (scope) => fenceEnd(scope, run, { reason }));
}

/** Without anything that could go the context stays as it is. */
async function compactOnRequest(drive: Drive, turn: Turn, state: RunState): Promise<Progress> {
  const request = showContext(turn);
  const need = await countRequest(turn, state, request);
  const made = await compact(drive, turn, state, { trigger: "request", need, request });
  return made ?? { turn, state: await commit(drive, turn, state, [{ type: "run-end", reason: "end_turn" }]) };
}

/** Each result is committed when it is there: what a slower call does cannot cost a faster one its record. */
async function runTools(drive: Drive, turn: Turn, before: RunState, inDoubt: ReadonlySet<string>): Promise<RunState> {
  let state = before;
  let written: Promise<void> = Promise.resolve();
  const append = (event: RunEvent): Promise<void> => {
    const next = written.then(async () => {
      state = await commit(drive, turn, state, [event]);
    });
    written = next.catch(() => {});
    return next;
  };
  const line = { signal: drive.signal, append };
  const running: Map<string, Promise<ResultEvent>> = before.open
    ? runBegunCalls(turn, before.open, inDoubt, line)
    : new Map();
  if (running.size === 0) return await commit(drive, turn, before, []);
  // Whoever is not waited for any more must not bring the program down.
  for (const work of running.values()) work.catch(() => {});
  try {
    while (running.size > 0) {
      const event = await Promise.race(running.values());
      running.delete(event.callId);
      await append(event);
    }
  } finally {
    // Nobody writes behind the back of whoever goes on with the run.
    await written;
  }
  return state;
}
