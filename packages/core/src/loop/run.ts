/**
 * Drives runs. Starting and resuming are the same: fold the log, decide, do, commit. Every commit is one transaction that
 * checks the run's epoch; a builtin tool runs inside the commit that logs its result.
 */
import { MemoirError } from "../errors.ts";
import { type LoggedEvent, type RunEvent, type RunFailure, type StopReason, statusOfReason } from "../events.ts";
import type { ConversationKey } from "../jobs/jobs.ts";
import type { ModelReply, ModelRequest } from "../model/model.ts";
import { type Agent, getAgent, updateAgent } from "../store/agents.ts";
import { updateConversation } from "../store/conversations.ts";
import { type Message, rewriteSystemMessage } from "../store/messages.ts";
import { appendEvents, listEvents } from "../store/run-log.ts";
import { fenceRun, findNextRun, LostRunError, type Run } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";
import { insertStep } from "../store/steps.ts";
import { runBuiltinCalls } from "./builtin-calls.ts";
import { closeStep, stepOf, toPromptMessages } from "./close-step.ts";
import { rememberPrompt } from "./context-cache.ts";
import { withImages } from "./images.ts";
import type { Loop } from "./loop.ts";
import { keepReply } from "./reply.ts";
import { buildRequest } from "./request.ts";
import { apply, decide, initialState, noUsage, type RunState } from "./state.ts";
import { takeRun } from "./take-run.ts";
import { loadTurn, type Turn } from "./turn.ts";

export async function drainConversation(loop: Loop, key: ConversationKey, stopping: AbortSignal): Promise<void> {
  const { orgId, conversationId } = key;
  const accepted = loop.accepted.get(conversationId);
  if (accepted) {
    loop.accepted.delete(conversationId);
    // Whoever sent something meanwhile has woken the conversation again.
    return await driveRun({ loop, orgId, run: accepted, isFresh: true }, stopping);
  }
  while (!stopping.aborted) {
    const next = await findNextRun(loop.store.read(orgId), conversationId);
    if (!next) return;
    const run = await takeRun(loop, orgId, next);
    if (run) await driveRun({ loop, orgId, run, isFresh: false }, stopping);
  }
}

async function driveRun(given: Omit<Drive, "signal">, stopping: AbortSignal): Promise<void> {
  const { loop, run } = given;
  const cancelling = new AbortController();
  loop.active.set(run.id, cancelling);
  const drive: Drive = { ...given, signal: AbortSignal.any([stopping, cancelling.signal]) };
  try {
    if (loop.cancelled.delete(run.id) || run.isCancelled) cancelling.abort();
    await advance(drive);
  } catch (error) {
    if (error instanceof LostRunError) loop.bus.drop(run.id);
    if (error instanceof LostRunError || stopping.aborted) return;
    await endBadly(drive, cancelling.signal.aborted ? undefined : error);
  } finally {
    loop.active.delete(run.id);
  }
}

interface Drive {
  readonly loop: Loop;
  readonly orgId: string;
  readonly run: Run;
  /** Nothing has happened in it yet. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
}

async function advance(drive: Drive): Promise<void> {
  const { loop, orgId, run } = drive;
  const scope = loop.store.read(orgId);
  const turn = await loadTurn(scope, loop.cache, run);
  const events = drive.isFresh ? [] : await listEvents(scope, run.id);
  let state = events.reduce<RunState>(apply, initialState);
  for (;;) {
    drive.signal.throwIfAborted();
    const action = decide(state, run.request.maxSteps);
    switch (action.type) {
      case "none":
        return;
      case "end":
        state = await commit(drive, turn, state, async () => [{ type: "run-end", reason: action.reason }]);
        break;
      case "call-model":
        state = await callModel(drive, turn, state);
        break;
      case "run-tools":
      case "close-step":
        state = await commit(drive, turn, state, async () => []);
        break;
    }
  }
}

async function callModel(drive: Drive, turn: Turn, state: RunState): Promise<RunState> {
  const request = buildRequest(turn, state);
  if (!request) return await commit(drive, turn, state, async () => [{ type: "run-end", reason: "tool_rule" }]);
  const startedAt = performance.now();
  const scope = drive.loop.store.read(drive.orgId);
  const reply = await readReply(drive, turn.hasImages ? await withImages(scope, request) : request);
  const { content, toolCalls } = keepReply(turn, reply);
  const event: RunEvent = {
    type: "model-reply",
    stepId: state.steps === 0 ? turn.run.request.firstStepId : drive.loop.store.newId("step"),
    messageId: drive.loop.store.newId("message"),
    resultsMessageId: drive.loop.store.newId("message"),
    content,
    toolCalls,
    isCut: reply.finishReason === "length",
    usage: reply.usage,
    modelNs: Math.round((performance.now() - startedAt) * 1e6),
  };
  return await commit(drive, turn, state, async () => [event]);
}

async function readReply(drive: Drive, request: ModelRequest): Promise<ModelReply> {
  const model = drive.loop.models.get(request.config);
  for await (const chunk of model.stream(request, drive.signal)) {
    if (chunk.type === "reply") return chunk.reply;
  }
  drive.signal.throwIfAborted();
  throw new MemoirError("llm-error", "the model's answer ended before it was complete");
}

/**
 * One commit: the given events, then as much as can happen without leaving the transaction: builtin calls, the end of the
 * step, the end of the run.
 */
async function commit(
  drive: Drive,
  turn: Turn,
  before: RunState,
  begin: (scope: Scope) => Promise<RunEvent[]>,
): Promise<RunState> {
  const { loop, orgId, run } = drive;
  const done = await loop.store.write(orgId, async (scope) => {
    const events = await begin(scope);
    const settled = await settle(scope, turn, events.reduce(apply, before), events);
    await keepPrompt(scope, turn);
    await keepStopReason(scope, turn.agent, settled.events);
    await fenceRun(scope, run, endOf(scope, run, settled.events));
    const logged = await appendEvents(scope, run, before.length, settled.events);
    return { ...settled, logged };
  });
  if (turn.prompt) rememberPrompt(loop.cache, turn.conversation.id, turn.prompt);
  turn.prompt = undefined;
  turn.added.push(...toPromptMessages(done.messages, turn.agent.timezone));
  loop.bus.publish(run.id, done.logged, done.messages);
  return done.state;
}

interface Settled {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly messages: readonly Message[];
}

async function settle(scope: Scope, turn: Turn, begun: RunState, given: readonly RunEvent[]): Promise<Settled> {
  let state = begun;
  const events = [...given];
  const messages: Message[] = [];
  const add = (event: RunEvent) => {
    events.push(event);
    state = apply(state, event);
  };
  const { open } = state;
  if (open) {
    const calls = open.reply.toolCalls.filter(({ id }) => !open.results.has(id));
    for (const event of await runBuiltinCalls(scope, turn, state, open.reply.stepId, calls)) add(event);
  }
  if (state.open && decide(state, turn.run.request.maxSteps).type === "close-step") {
    const closed = await closeStep(scope, turn, state, state.open);
    messages.push(...closed.messages);
    add(closed.event);
  }
  const next = decide(state, turn.run.request.maxSteps);
  if (next.type === "end") add({ type: "run-end", reason: next.reason });
  return { state, events, messages };
}

async function keepPrompt(scope: Scope, { prompt, conversation }: Turn): Promise<void> {
  if (!prompt || conversation.systemMessageId === null) return;
  await rewriteSystemMessage(scope, conversation.systemMessageId, prompt.text);
  await updateConversation(scope, conversation.id, { promptKey: prompt.key });
}

async function keepStopReason(scope: Scope, agent: Agent, events: readonly RunEvent[]): Promise<void> {
  const end = events.find((event) => event.type === "run-end");
  if (end && end.reason !== agent.lastStopReason) await updateAgent(scope, agent.id, { lastStopReason: end.reason });
}

function endOf(scope: Scope, run: Run, events: readonly RunEvent[]): Parameters<typeof fenceRun>[2] {
  const end = events.find((event) => event.type === "run-end");
  if (!end) return {};
  const at = scope.now();
  return {
    status: statusOfReason(end.reason),
    stop_reason: end.reason,
    ended_at: at,
    duration_ns: (at - run.createdAt) * 1000,
    ...(end.failure ? { metadata: JSON.stringify({ ...run.metadata, error: { ...end.failure } }) } : {}),
  };
}

/** A failure or a cancellation: the run ends, what was said stays said, and the next message finds everything in order. */
async function endBadly(drive: Drive, error: unknown): Promise<void> {
  const { loop, orgId, run } = drive;
  const failure = error === undefined ? undefined : describeFailure(error);
  const reason: StopReason = error === undefined ? "cancelled" : reasonOf(error);
  if (failure && !(error instanceof MemoirError)) loop.log.error({ err: error, runId: run.id }, "a run failed");
  try {
    const logged = await loop.store.write(orgId, async (scope): Promise<LoggedEvent[]> => {
      const state = (await listEvents(scope, run.id)).reduce<RunState>(apply, initialState);
      if (state.ended) return [];
      const event: RunEvent = { type: "run-end", reason, ...(failure ? { failure } : {}) };
      const agent = await getAgent(scope, run.agentId);
      await writeFailedStep(scope, agent, drive, state, reason, failure);
      await keepStopReason(scope, agent, [event]);
      await fenceRun(scope, run, endOf(scope, run, [event]));
      return await appendEvents(scope, run, state.length, [event]);
    });
    loop.bus.publish(run.id, logged, []);
  } catch (second) {
    // Anything else leaves the run open: it is driven again, from its log.
    if (!(second instanceof LostRunError)) throw second;
  }
}

/** Needs nothing that could have been the cause of the failure. */
async function writeFailedStep(
  scope: Scope,
  agent: Agent,
  { run }: Drive,
  state: RunState,
  reason: StopReason,
  failure: RunFailure | undefined,
): Promise<void> {
  const fresh = state.steps === 0 ? run.request.firstStepId : scope.newId("step");
  const reply = state.open?.reply ?? { stepId: fresh, usage: noUsage, modelNs: 0 };
  await insertStep(scope, {
    ...stepOf(scope, { run, agent, model: agent.model }, reply),
    status: reason === "cancelled" ? "cancelled" : "failed",
    stopReason: reason,
    errorType: failure?.code ?? null,
    errorData: failure ? { message: failure.message } : null,
  });
}

function describeFailure(error: unknown): RunFailure {
  if (error instanceof MemoirError) return { code: error.code, message: error.message };
  return { code: "internal", message: "An unknown error occurred" };
}

function reasonOf(error: unknown): StopReason {
  if (!(error instanceof MemoirError)) return "error";
  if (error.code === "llm-insufficient-credits") return "insufficient_credits";
  return error.code.startsWith("llm-") ? "llm_api_error" : "error";
}
