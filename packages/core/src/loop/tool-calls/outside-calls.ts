/**
 * Calls that run outside the commit. Before one runs the log says that it starts, after it the log holds the result; what
 * lies between is all that a crash can leave open, and the tool's declared effect says what to do about it.
 */
import type { ToolCall } from "../../shared/content.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { RunEvent } from "../../shared/events.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { withThreads } from "../../threads/threads.ts";
import { describeLate, type Executor } from "../../tools/tool.ts";
import { type OpenStep, pendingCalls } from "../state.ts";
import type { Turn } from "../turn.ts";
import { findTool, readArguments } from "./builtin-calls.ts";
import { describeError, failCall, forbidCall, type ResultEvent, succeedCall } from "./call-results.ts";

/** The calls to start next: those that may run side by side together, then the others one by one. */
export function startCalls(turn: Turn, open: OpenStep): RunEvent[] {
  const pending = pendingCalls(open);
  if (pending.some(({ id }) => open.begun.has(id))) return [];
  const parallel = pending.filter((call) => findTool(turn, call)?.isParallel);
  const next = parallel.length > 0 ? parallel : pending.slice(0, 1);
  return next.map(({ id }) => ({ type: "tool-start", callId: id }));
}

/** What calls under way need: to be told to stop, and to have something written down at once. */
export interface CallLine {
  readonly signal: AbortSignal;
  append(event: RunEvent): Promise<void>;
}

/** Each promise answers, or rejects when the signal says stop; nothing else is thrown. */
export function runBegunCalls(
  turn: Turn,
  open: OpenStep,
  inDoubt: ReadonlySet<string>,
  line: CallLine,
): Map<string, Promise<ResultEvent>> {
  const begun = pendingCalls(open).filter(({ id }) => open.begun.has(id));
  return new Map(begun.map((call) => [call.id, runCall(turn, open, call, inDoubt.has(call.id), line)]));
}

async function runCall(
  turn: Turn,
  open: OpenStep,
  call: ToolCall,
  isInDoubt: boolean,
  line: CallLine,
): Promise<ResultEvent> {
  if (turn.forbidden.has(call.name) && !isInDoubt) return forbidCall(call);
  const tool = findTool(turn, call);
  const executor = tool && turn.executors.find(tool);
  if (!tool || !executor) return failCall(call, `${call.name} was taken away while it was called. Go on without it.`);
  if (isInDoubt && executor.effect === "unsafe") return failCall(call, inDoubtText(call));
  const startedAt = performance.now();
  const work = () => execute(turn, open, tool, call, executor, line);
  const result = await turn.telemetry.runTool(tool, call.id, work, (event) => event.result.status === "error");
  return { ...result, toolNs: Math.round((performance.now() - startedAt) * 1e6) };
}

function inDoubtText({ name }: ToolCall): string {
  return (
    `The server stopped while ${name} was running, so nobody knows whether it had its effect. ` +
    "It was not run again. Find out what happened before you call it once more, or ask the user."
  );
}

async function execute(
  turn: Turn,
  open: OpenStep,
  tool: Tool,
  call: ToolCall,
  executor: Executor,
  { signal: cancelled, append }: CallLine,
): Promise<ResultEvent> {
  const late = AbortSignal.timeout(executor.timeoutMs);
  const signal = AbortSignal.any([cancelled, late]);
  let isOver = false;
  const noteCall = async (name: string) => {
    if (isOver) throw new MemoirError("tool-failed", `${call.name} has ended. Nothing was done.`);
    await append({ type: "inner-call", callId: call.id, name });
  };
  try {
    const args = await withThreads(turn.orgId, () => readArguments(turn, open, tool, call));
    const work = executor.run(args, {
      orgId: turn.orgId,
      userId: turn.run.createdBy,
      agentId: turn.agent.id,
      conversationId: turn.conversation.id,
      runId: turn.run.id,
      stepId: open.reply.stepId,
      callId: call.id,
      called: open.history.called,
      noteCall,
      key: `${open.reply.stepId}/${call.id}`,
      signal,
    });
    const { output, ...print } = await untilAborted(work, signal);
    return succeedCall(tool, call, output, print);
  } catch (thrown) {
    if (cancelled.aborted) throw cancelled.reason;
    if (late.aborted) return failCall(call, describeLate(call.name, executor));
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const text = error instanceof MemoirError ? error.message : describeError(call, error);
    return failCall(call, text, error instanceof ToolFailure ? error.print : describeError(call, error));
  } finally {
    isOver = true;
  }
}

/** A tool that does not listen to its signal is not waited for. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
