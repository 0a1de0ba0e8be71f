/** Taking messages in: one commit with the run, and its input unless others have to be answered first. */
import type { Actor } from "../actor.ts";
import { findAddressFault } from "../addresses.ts";
import type { CompactionSettings } from "../compaction-settings.ts";
import type { ContentPart } from "../content.ts";
import { invalidInput, type MemoirError, notFound } from "../errors.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { JsonObject } from "../json.ts";
import { storeImages } from "../loop/images.ts";
import type { Loop } from "../loop/loop.ts";
import { enterInput } from "../loop/take-run.ts";
import type { ModelConfig } from "../model-config.ts";
import type { ConversationPlace } from "../store/conversations.ts";
import { findSendHead, insertRun, type Run } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";

export interface SendMessage {
  readonly messages: readonly InputMessage[];
  readonly maxSteps?: number;
  /** A model for this run only, by its handle. */
  readonly model?: string;
  /** Instructions for this run only, in place of the whole compiled prompt. */
  readonly system?: string;
  readonly kind?: string;
  readonly isBackground?: boolean;
  /** Replies can be watched piece by piece while they grow. */
  readonly streamsTokens?: boolean;
  /** Kept with the run for whoever shows its answers. */
  readonly view?: JsonObject;
  /** Kept with the run. */
  readonly metadata?: JsonObject;
  /** Who is told over HTTP when the run has ended. */
  readonly callbackUrl?: string;
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

/** What a run is made of: a message that was sent, or a context to be made shorter. */
export interface Accepted extends SendMessage {
  readonly modelConfig: ModelConfig | null;
  readonly compaction?: Partial<CompactionSettings>;
}

const defaultMaxSteps = 50;

/** Everything that can be said of it before anything is written; a provider may have to be asked for its model. */
export async function prepareSend(
  loop: Loop,
  { orgId }: Actor,
  given: SendMessage,
  allowedHosts: readonly string[] = [],
): Promise<Accepted> {
  const { messages, maxSteps = defaultMaxSteps, callbackUrl, model } = given;
  if (messages.length === 0) throw invalidInput("messages", "Messages must not be empty");
  if (maxSteps < 1) throw invalidInput("max_steps", `max_steps is ${maxSteps}; it must be at least 1`);
  for (const { content } of messages) {
    const hasSomething = content.some((part) => part.type !== "text" || part.text !== "");
    if (!hasSomething) throw invalidInput("content", "a message needs some content: text or an image");
  }
  checkCallback(callbackUrl, allowedHosts);
  return { ...given, modelConfig: model === undefined ? null : await loop.finder.resolve(orgId, model) };
}

export function checkCallback(address: string | undefined, allowedHosts: readonly string[]): void {
  const fault = address === undefined ? undefined : findAddressFault(address, allowedHosts);
  if (fault !== undefined) throw invalidInput("callback_url", `callback_url ${fault}`);
}

export async function acceptMessage(
  scope: Scope,
  actor: Actor,
  place: ConversationPlace,
  given: Accepted,
): Promise<Run> {
  const head = await findSendHead(scope, place);
  if (!head) throw missing(place);
  const input: InputMessage[] = [];
  for (const message of given.messages) input.push(await storeImages(scope, message));
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
      input: input.map((message) => ({
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
      ...(given.streamsTokens ? { streamsTokens: true } : {}),
      ...(given.compaction ? { compaction: given.compaction } : {}),
      view: given.view ?? {},
    },
    metadata: { run_type: given.kind ?? "send_message", ...given.metadata },
    callbackUrl: given.callbackUrl ?? null,
    callbackSentAt: null,
    callbackStatus: null,
    callbackError: null,
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

/** After the commit: the work begins, and whoever waits for it hears of it. */
export function beginRun(loop: Loop, jobs: Jobs, { orgId }: Actor, run: Run): void {
  loop.bus.open(orgId, run);
  if (run.status === "running") loop.accepted.set(run.conversationId, run);
  jobs.wake({ orgId, conversationId: run.conversationId });
}

/** The courier looks into the outbox now and then; this tells it when there is something in it. */
export function atRunEnd({ bus }: Loop, { id }: Run, work: () => void): void {
  const unsubscribe = bus.subscribe(id, (events) => {
    if (events && !events.some(({ type }) => type === "run-end")) return;
    unsubscribe();
    if (events) work();
  });
}

function missing(place: ConversationPlace): MemoirError {
  return "conversationId" in place ? notFound("conversation", place.conversationId) : notFound("agent", place.agentId);
}
