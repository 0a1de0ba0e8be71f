/** What callers can do with messages: send one, get the agent's answer, read back what was said. */
import type { Jobs } from "../../jobs/jobs.ts";
import type { WebhookSender } from "../../jobs/webhook-sender.ts";
import { followRun } from "../../loop/follow.ts";
import type { Loop } from "../../loop/loop.ts";
import type { RunRecord } from "../../loop/run-records.ts";
import { apply, initialState, type RunState } from "../../loop/state.ts";
import { tellGivenUp } from "../../loop/step-ends.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import type { Usage } from "../../shared/content.ts";
import type { MemoirError } from "../../shared/errors.ts";
import type { LoggedEvent, RunFailure, StopReason } from "../../shared/events.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { ConversationPlace } from "../../store/conversations/conversations.ts";
import { listRunMessages, type Message } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { getRun, inputIdsOf, type Run } from "../../store/runs/runs.ts";
import { type RunPiece, streamRun } from "../runs/run-stream.ts";
import { acceptMessage, atRunEnd, beginRun, rejectMessage, whileAccepting } from "./accept-message.ts";
import { type CompactionResult, checkCompaction, completeCompaction } from "./compaction.ts";
import { type Generated, type GenerateRequest, generate } from "./generate.ts";
import {
  getOne,
  listOfAgent,
  listOfAll,
  listOfConversation,
  listOfRun,
  listOfStep,
  type MessageListRequest,
} from "./message-list.ts";
import { type FoundMessage, findMessages, type MessageQuestion, rejectWithoutAgents } from "./message-search.ts";
import { prepareSend, type SendSettings } from "./prepare-send.ts";
import { previewRequest } from "./request-preview.ts";
import type { Accepted, SendMessage } from "./send-message.ts";

export interface RunResult {
  readonly run: Run;
  /** What the agent produced, in order. */
  readonly messages: readonly Message[];
  /** Of its steps, those of calls that wrote summaries included. */
  readonly usage: Usage;
  readonly steps: number;
  readonly contextTokens: number | null;
  readonly reason: StopReason;
  readonly failure: RunFailure | undefined;
  /** How its context was made shorter; the summaries are among the messages. */
  readonly compactions: readonly CompactionEvent[];
}

export type CompactionEvent = Extract<LoggedEvent, { type: "compaction" }>;

export interface MessageService {
  /** Accepted means durable: from here on the message is answered, also if this process dies. */
  send(actor: Actor, agentId: string, message: SendMessage): Promise<Run>;
  /** The same, to one conversation of an agent. */
  sendTo(actor: Actor, conversationId: string, message: SendMessage): Promise<Run>;
  sendAt(actor: Actor, place: ConversationPlace, message: SendMessage): Promise<Run>;
  /** A message that could not be taken, as a run that has failed: for whoever watches for one. Nothing of it is kept. */
  refuse(actor: Actor, place: ConversationPlace, message: SendMessage, error: MemoirError): Promise<Run>;
  get(actor: Actor, id: string): Promise<Message>;
  /** Of all agents, oldest first: in all conversations, in the default ones, or in the one named. */
  list(actor: Actor, request: MessageListRequest, conversation?: { id: string } | "default"): Promise<Message[]>;
  /** The input of a run and what came of it, oldest first. */
  listOfRun(actor: Actor, runId: string, request: MessageListRequest): Promise<Message[]>;
  listOfStep(actor: Actor, stepId: string, request: MessageListRequest): Promise<Message[]>;
  /** Best first. */
  search(actor: Actor, question: MessageQuestion): Promise<FoundMessage[]>;
  /** The same; refused while there are no agents. */
  searchOfAgents(actor: Actor, question: MessageQuestion): Promise<FoundMessage[]>;
  /** One answer of an agent's model, beside everything that was said. */
  generate(actor: Actor, agentId: string, request: GenerateRequest): Promise<Generated>;
  /** What sending this would make Memoir send to the provider. */
  preview(actor: Actor, place: ConversationPlace, message: SendMessage): Promise<JsonObject>;
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
  /** The run as its callers watch it, from its beginning to its end. */
  watch(actor: Actor, runId: string, signal?: AbortSignal): AsyncGenerator<RunPiece>;
  /** Waits for the end of a run. */
  complete(actor: Actor, runId: string): Promise<RunResult>;
}

export interface MessageSettings extends SendSettings {
  readonly webhookSender: WebhookSender;
}

export function createMessageService(
  runtime: Runtime,
  loop: Loop,
  jobs: Jobs,
  { webhookSender, ...sending }: MessageSettings,
): MessageService {
  const accept = async (actor: Actor, place: ConversationPlace, input: Accepted): Promise<Run> => {
    const { run, isNew } = await whileAccepting(loop, jobs, actor, async (marks) => {
      const taken = await write(runtime, actor, (scope) => acceptMessage(scope, actor, place, input, marks));
      if (taken.givenUp) tellGivenUp(loop, actor.orgId, taken.givenUp);
      if (taken.isNew) beginRun(loop, jobs, actor, taken.run);
      return taken;
    });
    if (!isNew) return run;
    if (run.callbackUrl !== null) atRunEnd(loop, run, webhookSender.wake);
    return run;
  };
  const sendAt = async (actor: Actor, place: ConversationPlace, input: SendMessage): Promise<Run> =>
    await accept(actor, place, await prepareSend(loop, actor, place, input, sending));
  const read = (actor: Actor) => readScope(runtime, actor);
  return {
    send: (actor, agentId, input) => sendAt(actor, { agentId }, input),
    sendTo: (actor, conversationId, input) => sendAt(actor, { conversationId }, input),
    sendAt,
    refuse: (actor, place, input, error) =>
      write(runtime, actor, (scope) => rejectMessage(scope, actor, place, input, error)),
    get: (actor, id) => getOne(read(actor), id),
    list: (actor, request, conversation) => listOfAll(read(actor), request, conversation),
    listOfAgent: (actor, agentId, request, place) => listOfAgent(read(actor), agentId, request, place),
    listOfConversation: (actor, conversationId, request) => listOfConversation(read(actor), conversationId, request),
    listOfRun: (actor, runId, request) => listOfRun(read(actor), runId, request),
    listOfStep: (actor, stepId, request) => listOfStep(read(actor), stepId, request),
    search: (actor, question) => findMessages(read(actor), question),
    searchOfAgents: async (actor, question) => {
      await rejectWithoutAgents(read(actor));
      return await findMessages(read(actor), question);
    },
    generate: (actor, agentId, request) => generate(runtime, loop, actor, agentId, request),
    preview: async (actor, place, input) =>
      await previewRequest(read(actor), loop, place, await prepareSend(loop, actor, place, input, sending)),
    watch: (actor, runId, signal) => streamRun(loop, read(actor), runId, signal),
    follow: (actor, runId, afterSeq, signal) => followRun(loop.bus, read(actor), runId, afterSeq, signal),
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
      const compactions: CompactionEvent[] = [];
      for await (const event of followRun(loop.bus, scope, runId)) {
        state = apply(state, event);
        if (event.type === "compaction") compactions.push(event);
        if (event.type === "run-end") failure = event.failure;
      }
      const known = await findRecord(scope, loop.bus.find(actor.orgId, runId), runId);
      return { ...composeResult(known, state, failure), compactions };
    },
  };
}

/** A record that has not ended is not whole: someone else finished the run. */
async function findRecord(
  scope: Scope,
  record: RunRecord | undefined,
  runId: string,
): Promise<Pick<RunRecord, "run" | "messages">> {
  return record && record.run.endedAt !== null ? record : await readRecord(scope, runId);
}

function composeResult(
  { run, messages }: Pick<RunRecord, "run" | "messages">,
  { usage, steps, summaryCalls, contextTokens, ended }: RunState,
  failure: RunFailure | undefined,
): Omit<RunResult, "compactions"> {
  return { run, messages, usage, steps: steps + summaryCalls, contextTokens, reason: ended ?? "error", failure };
}

async function readRecord(scope: Scope, runId: string): Promise<Pick<RunRecord, "run" | "messages">> {
  const run = await getRun(scope, runId);
  const input = inputIdsOf(run);
  return { run, messages: (await listRunMessages(scope, runId)).filter(({ id }) => !input.has(id)) };
}
