/** What callers can do with messages: send one, get the agent's answer, read back what was said. */
import type { Actor } from "../actor.ts";
import type { CompactionSettings } from "../compaction-settings.ts";
import type { ContentPart, Usage } from "../content.ts";
import { invalidInput, type MemoirError, notFound } from "../errors.ts";
import type { LoggedEvent, RunFailure, StopReason } from "../events.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { JsonObject } from "../json.ts";
import type { RunRecord } from "../loop/bus.ts";
import { followRun } from "../loop/follow.ts";
import { storeImages } from "../loop/images.ts";
import type { Loop } from "../loop/loop.ts";
import { apply, initialState, type RunState } from "../loop/state.ts";
import { enterInput } from "../loop/take-run.ts";
import type { ModelConfig } from "../model-config.ts";
import { type Runtime, readScope, write } from "../runtime.ts";
import type { ConversationPlace } from "../store/conversations.ts";
import { listRunMessages, type Message } from "../store/messages.ts";
import { findSendHead, getRun, insertRun, type Run } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";
import { type CompactionResult, checkCompaction, completeCompaction } from "./compaction.ts";
import { listOfAgent, listOfConversation, type MessageListRequest } from "./message-list.ts";

export interface SendMessage {
  readonly messages: readonly InputMessage[];
  readonly maxSteps?: number;
  /** A model for this run only, by its handle. */
  readonly model?: string;
  /** Instructions for this run only, in place of the whole compiled prompt. */
  readonly system?: string;
  readonly kind?: string;
  readonly isBackground?: boolean;
  /** Kept with the run for whoever shows its answers. */
  readonly view?: JsonObject;
}

export interface InputMessage {
  readonly role: "user" | "system" | "assistant";
  readonly content: readonly ContentPart[];
  readonly name?: string | null;
  readonly otid?: string | null;
  readonly senderId?: string | null;
  readonly groupId?: string | null;
  readonly batchItemId?: string | null;
}

export interface RunResult {
  readonly run: Run;
  /** What the agent produced, in order. */
  readonly messages: readonly Message[];
  readonly usage: Usage;
  readonly steps: number;
  readonly contextTokens: number | null;
  readonly reason: StopReason;
  readonly failure: RunFailure | undefined;
}

export interface MessageService {
  /** Accepted means durable: from here on the message is answered, also if this process dies. */
  send(actor: Actor, agentId: string, message: SendMessage): Promise<Run>;
  /** The same, to one conversation of an agent. */
  sendTo(actor: Actor, conversationId: string, message: SendMessage): Promise<Run>;
  /** What was said to an agent and by it, oldest first: in all its conversations, or in the one named. */
  listOfAgent(
    actor: Actor,
    agentId: string,
    request: MessageListRequest,
    place?: ConversationPlace,
  ): Promise<Message[]>;
  /** What belongs to a conversation, its system message first, what it took over from another one included. */
  listOfConversation(actor: Actor, conversationId: string, request: MessageListRequest): Promise<Message[]>;
  /** The run's events, from the first or after `afterSeq`, until it ends. */
  follow(actor: Actor, runId: string, afterSeq?: number, signal?: AbortSignal): AsyncGenerator<LoggedEvent>;
  /**
   * Makes a context shorter now, when its turn comes, with these settings over the agent's own. One that holds nothing but
   * a summary stays as it is; one that cannot become shorter is refused.
   */
  compact(actor: Actor, place: ConversationPlace, settings?: Partial<CompactionSettings>): Promise<CompactionResult>;
  /** Waits for the end of a run. */
  complete(actor: Actor, runId: string): Promise<RunResult>;
}

const defaultMaxSteps = 50;

export function createMessageService(runtime: Runtime, loop: Loop, jobs: Jobs): MessageService {
  const accept = async (actor: Actor, place: ConversationPlace, given: Accepted): Promise<Run> => {
    const run = await write(runtime, actor, async (scope) => {
      const messages: InputMessage[] = [];
      for (const message of given.messages) messages.push(await storeImages(scope, message));
      return await acceptMessage(scope, actor, place, { ...given, messages });
    });
    loop.bus.open(actor.orgId, run);
    if (run.status === "running") loop.accepted.set(run.conversationId, run);
    jobs.wake({ orgId: actor.orgId, conversationId: run.conversationId });
    return run;
  };
  const sendTo = async (actor: Actor, place: ConversationPlace, given: SendMessage): Promise<Run> => {
    checkSend(given);
    const modelConfig = given.model === undefined ? null : await loop.finder.resolve(actor.orgId, given.model);
    return await accept(actor, place, { ...given, modelConfig });
  };
  return {
    send: (actor, agentId, given) => sendTo(actor, { agentId }, given),
    sendTo: (actor, conversationId, given) => sendTo(actor, { conversationId }, given),
    listOfAgent: (actor, agentId, request, place) => listOfAgent(readScope(runtime, actor), agentId, request, place),
    listOfConversation: (actor, conversationId, request) =>
      listOfConversation(readScope(runtime, actor), conversationId, request),
    follow: (actor, runId, afterSeq, signal) => followRun(loop.bus, readScope(runtime, actor), runId, afterSeq, signal),
    compact: async (actor, place, settings = {}) => {
      await checkCompaction(loop, actor, settings);
      const run = await accept(actor, place, {
        messages: [],
        kind: "compact",
        modelConfig: null,
        compaction: settings,
      });
      return await completeCompaction(readScope(runtime, actor), loop, run);
    },
    complete: async (actor, runId) => {
      const scope = readScope(runtime, actor);
      let state: RunState = initialState;
      let failure: RunFailure | undefined;
      for await (const event of followRun(loop.bus, scope, runId)) {
        state = apply(state, event);
        if (event.type === "run-end") failure = event.failure;
      }
      return await collectResult(scope, loop.bus.find(actor.orgId, runId), runId, state, failure);
    },
  };
}

function checkSend({ messages, maxSteps = defaultMaxSteps }: SendMessage): void {
  if (messages.length === 0) throw invalidInput("messages", "Messages must not be empty");
  if (maxSteps < 1) throw invalidInput("max_steps", `max_steps is ${maxSteps}; it must be at least 1`);
  for (const { content } of messages) {
    const hasSomething = content.some((part) => part.type !== "text" || part.text !== "");
    if (!hasSomething) throw invalidInput("content", "a message needs some content: text or an image");
  }
}

/** What a run is made of: a message that was sent, or a context to be made shorter. */
interface Accepted extends SendMessage {
  readonly modelConfig: ModelConfig | null;
  readonly compaction?: Partial<CompactionSettings>;
}

/** One commit: the run, and its input unless others have to be answered first. */
async function acceptMessage(scope: Scope, actor: Actor, place: ConversationPlace, given: Accepted): Promise<Run> {
  const head = await findSendHead(scope, place);
  if (!head) throw missing(place);
  const at = scope.now();
  const run: Run = {
    id: scope.newId("run"),
    agentId: head.agentId,
    conversationId: head.conversationId,
    epoch: head.isBusy ? 0 : 1,
    status: head.isBusy ? "created" : "running",
    stopReason: null,
    kind: given.kind ?? "send_message",
    isBackground: given.isBackground ?? false,
    isCancelled: false,
    request: {
      input: given.messages.map((message) => ({
        messageId: scope.newId("message"),
        role: message.role,
        content: message.content,
        name: message.name ?? null,
        otid: message.otid ?? crypto.randomUUID(),
        senderId: message.senderId ?? null,
        groupId: message.groupId ?? null,
        batchItemId: message.batchItemId ?? null,
      })),
      maxSteps: given.maxSteps ?? defaultMaxSteps,
      firstStepId: scope.newId("step"),
      model: given.model ?? null,
      modelConfig: given.modelConfig,
      system: given.system ?? null,
      ...(given.compaction ? { compaction: given.compaction } : {}),
      view: given.view ?? {},
    },
    metadata: { run_type: given.kind ?? "send_message" },
    callbackUrl: null,
    durationNs: null,
    endedAt: null,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
  };
  await insertRun(scope, run);
  if (!head.isBusy) await enterInput(scope, run, head.autoclear);
  return run;
}

function missing(place: ConversationPlace): MemoirError {
  return "conversationId" in place ? notFound("conversation", place.conversationId) : notFound("agent", place.agentId);
}

async function collectResult(
  scope: Scope,
  record: RunRecord | undefined,
  runId: string,
  state: RunState,
  failure: RunFailure | undefined,
): Promise<RunResult> {
  // A record that has not ended is not whole: someone else finished the run.
  const known = record && record.run.endedAt !== null ? record : await readRecord(scope, runId);
  return {
    run: known.run,
    messages: known.messages,
    usage: state.usage,
    steps: state.steps,
    contextTokens: state.contextTokens,
    reason: state.ended ?? "error",
    failure,
  };
}

async function readRecord(scope: Scope, runId: string): Promise<Pick<RunRecord, "run" | "messages">> {
  const run = await getRun(scope, runId);
  const input = new Set(run.request.input.map(({ messageId }) => messageId));
  return { run, messages: (await listRunMessages(scope, runId)).filter(({ id }) => !input.has(id)) };
}
