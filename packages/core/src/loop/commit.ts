/**
 * One commit of a run: what happened, and as much as can follow without leaving the transaction. It checks the run's
 * epoch, so that whoever has lost the run writes nothing.
 */
import { boundTokens } from "../memory/tokens.ts";
import type { RunEvent } from "../shared/events.ts";
import type { PromptSnapshot } from "../shared/prompt-snapshot.ts";
import type { ToolPermissions } from "../shared/tool-permissions.ts";
import { type Agent, updateAgent } from "../store/agents/agents.ts";
import { updateConversation } from "../store/conversations/conversations.ts";
import { type Message, rewriteSystemMessage } from "../store/conversations/messages.ts";
import type { Scope } from "../store/engine/scope.ts";
import { appendEvents } from "../store/runs/run-log.ts";
import { fenceEnd, fenceStep, findPermissions, type Run, type RunEnd } from "../store/runs/runs.ts";
import type { RunSpans } from "../telemetry/telemetry.ts";
import { narrowTools } from "../tools/permitted-tools.ts";
import { ask, callsNeedingApproval } from "./approvals/request-approval.ts";
import { closeStep, toPromptMessages } from "./close-step.ts";
import { rememberPrompt } from "./context/context-cache.ts";
import type { Loop } from "./loop.ts";
import type { SummaryCall } from "./model-call/summary-steps.ts";
import { apply, decide, pendingCalls, type RunState } from "./state.ts";
import { tellClosedSteps } from "./step-ends.ts";
import { answerCalls } from "./tool-calls/builtin-calls.ts";
import { startCalls } from "./tool-calls/outside-calls.ts";
import type { Turn } from "./turn.ts";
import { writeRun } from "./write-run.ts";

/** A run being worked on. */
export interface Drive {
  readonly loop: Loop;
  readonly orgId: string;
  readonly run: Run;
  /** Nothing has happened in it yet. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
  /** Aborted when the process stops; `signal` also when the run is cancelled. */
  readonly stopping: AbortSignal;
  readonly spans: RunSpans;
  /** The call that was made last: how a run that fails knows what the model saw. */
  call?: CallRecord;
  /** Calls for summaries that no commit has recorded yet. */
  summaryCalls?: readonly SummaryCall[];
}

/** A call of the model that was begun, whether or not its reply was committed. */
export interface CallRecord {
  readonly stepId: string;
  /** How many steps had been closed before it. */
  readonly steps: number;
  sight?: PromptSnapshot;
}

/**
 * The given events, then what follows from them: builtin calls are answered, outside ones declared to start, the step
 * ends, the run ends.
 */
export async function commit(
  drive: Drive,
  turn: Turn,
  before: RunState,
  events: readonly RunEvent[],
): Promise<RunState> {
  const { loop, run } = drive;
  const work = loop.telemetry.bind(async (scope: Scope) => {
    if (events.some((event) => event.type === "model-reply" && event.toolCalls.length > 0)) {
      // The model may have thought long, and what was taken away meanwhile is not called.
      narrowTools(turn, await findPermissions(scope, run));
    }
    const settled = await settle(scope, turn, events.reduce(apply, before), events);
    await savePrompt(scope, turn);
    await keepStopReason(scope, turn.agent, settled.events);
    const fenced = await fence(scope, run, settled);
    const logged = await appendEvents(scope, run, before.length, settled.events);
    return { ...settled, ...fenced, logged };
  });
  const done = await writeRun(drive, work);
  if (turn.prompt) rememberPrompt(loop.cache, turn.conversation.id, turn.prompt);
  turn.prompt = undefined;
  addToTurn(turn, done.messages);
  narrowTools(turn, done.permissions);
  loop.bus.publish(run.id, done.logged, done.messages, done.end);
  tellClosedSteps(drive, before, done.events);
  return done.state;
}

export function addToTurn(turn: Turn, messages: readonly Message[]): void {
  const shown = toPromptMessages(messages, turn.agent.timezone);
  turn.added.push(...shown);
  turn.addedRows += messages.length;
  turn.bound += shown.reduce((sum, message) => sum + boundTokens(message), 0);
}

interface Settled {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly messages: readonly Message[];
}

/** A call takes about 3 ms, during which SQLite's thread does nothing else: 500 in one commit held everything up for 1.6 s. */
const callsPerCommit = 16;

async function settle(scope: Scope, turn: Turn, begun: RunState, input: readonly RunEvent[]): Promise<Settled> {
  let state = begun;
  const events = [...input];
  const messages: Message[] = [];
  const add = (event: RunEvent) => {
    events.push(event);
    state = apply(state, event);
  };
  const asked =
    input.some(({ type }) => type === "model-reply") && state.open ? callsNeedingApproval(turn, state.open) : [];
  if (state.open && asked.length > 0) {
    const question = await ask(scope, turn, state.open, asked);
    messages.push(...question.messages);
    add(question.event);
  }
  const { open } = state;
  const calls = open ? pendingCalls(open).filter(({ id }) => !open.begun.has(id)) : [];
  const answered = open ? await answerCalls(scope, turn, open, calls, callsPerCommit) : [];
  for (const event of answered) add(event);
  // With so many there may be more, which the next commit answers; outside calls start behind them.
  if (state.open && answered.length < callsPerCommit) {
    for (const event of startCalls(turn, state.open)) add(event);
    if (pendingCalls(state.open).length === 0) {
      const closed = await closeStep(scope, turn, state, state.open);
      messages.push(...closed.messages);
      add(closed.event);
    }
  }
  const next = decide(state, turn.run.request);
  if (next.type === "end") add({ type: "run-end", reason: next.reason });
  return { state, events, messages };
}

interface Fenced {
  /** What the agent may call from here on, if that is limited: it may be changed during a long turn. */
  readonly permissions: ToolPermissions | null;
  readonly end?: RunEnd;
}

async function fence(scope: Scope, run: Run, { events }: Settled): Promise<Fenced> {
  const end = events.find((event) => event.type === "run-end");
  if (!end) return { permissions: await fenceStep(scope, run) };
  return { permissions: null, end: await fenceEnd(scope, run, end) };
}

async function savePrompt(scope: Scope, { prompt, conversation }: Turn): Promise<void> {
  if (!prompt || conversation.systemMessageId === null) return;
  await rewriteSystemMessage(scope, conversation.systemMessageId, prompt.text);
  await updateConversation(scope, conversation.id, { promptKey: prompt.key });
}

export async function keepStopReason(scope: Scope, agent: Agent, events: readonly RunEvent[]): Promise<void> {
  const end = events.find((event) => event.type === "run-end");
  if (end && end.reason !== agent.lastStopReason) await updateAgent(scope, agent.id, { lastStopReason: end.reason });
}
