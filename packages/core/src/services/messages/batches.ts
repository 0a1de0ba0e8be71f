/** What callers can do with batches of messages. Each message of one is answered by a run of its own, as any other is. */
import type { Jobs } from "../../jobs/jobs.ts";
import type { WebhookSender } from "../../jobs/webhook-sender.ts";
import type { Loop } from "../../loop/loop.ts";
import { tellGivenUp } from "../../loop/step-ends.ts";
import { withImageData } from "../../memory/images.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput, notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { listMessages } from "../../store/conversations/message-list.ts";
import type { Message } from "../../store/conversations/messages.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { Approval } from "../../store/runs/approvals.ts";
import { findBatchEnd, insertBatchItems, listOpenBatchRuns } from "../../store/runs/batches.ts";
import { getJob, insertJob, type Job, listJobs, updateJob } from "../../store/runs/jobs.ts";
import { expediteOutbox, putOutbox } from "../../store/runs/outbox.ts";
import { findDefaultConversations } from "../../store/runs/run-usage.ts";
import type { Run } from "../../store/runs/runs.ts";
import type { RunService } from "../runs/runs.ts";
import { acceptMessage, atRunEnd, beginRun, whileAccepting } from "./accept-message.ts";
import type { MessageListRequest } from "./message-list.ts";
import { checkCallback, prepareSend, type SendSettings } from "./prepare-send.ts";
import type { Accepted, SendMessage } from "./send-message.ts";

export interface BatchRequest {
  readonly agentId: string;
  readonly message: SendMessage;
}

export interface NewBatch {
  readonly requests: readonly BatchRequest[];
  readonly metadata?: JsonObject;
  /** Who is told over HTTP when all of it is done. */
  readonly callbackUrl?: string;
}

export interface BatchMessage {
  readonly message: Message;
  /** In its agent's default conversation. */
  readonly isDefault: boolean;
}

export interface BatchService {
  /** All of its messages are accepted, or none. */
  create(actor: Actor, batch: NewBatch): Promise<Job>;
  get(actor: Actor, id: string): Promise<Job>;
  /** Those not done yet. */
  list(actor: Actor, page: PageRequest): Promise<Job[]>;
  /** What was said in its runs, oldest first. */
  messages(actor: Actor, id: string, request: MessageListRequest & { agentId?: string }): Promise<BatchMessage[]>;
  cancel(actor: Actor, id: string): Promise<void>;
}

/** One commit takes them all. */
const maxRequests = 500;

export interface BatchParts {
  readonly loop: Loop;
  readonly jobs: Jobs;
  readonly runs: RunService;
  readonly webhookSender: WebhookSender;
  readonly sending: SendSettings;
}

export function createBatchService(runtime: Runtime, parts: BatchParts): BatchService {
  const { loop, jobs, runs, webhookSender, sending } = parts;
  return {
    create: async (actor, batch) => {
      const prepared = await prepareBatch(loop, actor, batch, sending);
      const { job, started } = await whileAccepting(loop, jobs, actor, async (marks) => {
        const accepted = await write(runtime, actor, (scope) => acceptBatch(scope, actor, batch, prepared, marks));
        for (const approval of accepted.givenUp) tellGivenUp(loop, actor.orgId, approval);
        for (const run of accepted.started) beginRun(loop, jobs, actor, run);
        return accepted;
      });
      const hurry = async () => {
        await write(runtime, actor, (scope) => expediteOutbox(scope, "batch", job.id));
        webhookSender.wake();
      };
      for (const run of started) {
        // Without success it is found a little later.
        if (job.callbackUrl !== null) atRunEnd(loop, run, () => void hurry().catch(() => {}));
      }
      return job;
    },
    get: async (actor, id) => {
      await settleBatches(runtime, actor);
      return await getBatch(readScope(runtime, actor), id);
    },
    list: async (actor, page) => {
      await settleBatches(runtime, actor);
      return await listJobs(readScope(runtime, actor), { kind: "batch", isOpen: true }, page);
    },
    messages: async (actor, id, { page, agentId }) => {
      const scope = readScope(runtime, actor);
      await getBatch(scope, id);
      const of = { batchId: id, ...(agentId === undefined ? {} : { agentId }) };
      const messages = await withImageData(scope, await listMessages(scope, of, page, { withErrors: true }));
      const places = messages.map(({ conversationId }) => conversationId);
      const defaults = await findDefaultConversations(scope, places);
      return messages.map((message) => ({ message, isDefault: defaults.has(message.conversationId) }));
    },
    cancel: async (actor, id) => {
      const scope = readScope(runtime, actor);
      await getBatch(scope, id);
      await runs.cancelAll(actor, await listOpenBatchRuns(scope, id));
      await write(runtime, actor, async (within) => {
        const job = await getBatch(within, id);
        if (job.completedAt !== null) return;
        const at = within.now();
        const ended = { status: "cancelled", stopReason: "cancelled", completedAt: at } as const;
        await updateJob(within, id, { ...ended, updatedAt: at, updatedBy: actor.userId });
      });
    },
  };
}

async function getBatch(scope: Scope, id: string): Promise<Job> {
  const job = await getJob(scope, id);
  if (job.kind !== "batch") throw notFound("job", id);
  return job;
}

async function prepareBatch(
  loop: Loop,
  actor: Actor,
  { requests, callbackUrl }: NewBatch,
  sending: SendSettings,
): Promise<Accepted[]> {
  if (requests.length === 0) throw invalidInput("requests", "requests is empty: a batch needs at least one message");
  if (requests.length > maxRequests) {
    throw invalidInput(
      "requests",
      `a batch takes at most ${maxRequests} requests, not ${requests.length}: send several`,
    );
  }
  checkCallback(callbackUrl, sending.allowedHosts);
  const prepared: Accepted[] = [];
  const budget = { images: 0, bytes: 0 };
  for (const { agentId, message } of requests) {
    prepared.push(await prepareSend(loop, actor, { agentId }, message, sending, budget));
  }
  return prepared;
}

async function acceptBatch(
  scope: Scope,
  actor: Actor,
  { requests, metadata, callbackUrl }: NewBatch,
  prepared: readonly Accepted[],
  marks: Set<string>,
): Promise<{ readonly job: Job; readonly started: readonly Run[]; readonly givenUp: readonly Approval[] }> {
  const job = newBatchJob(scope, actor, metadata ?? null, callbackUrl ?? null);
  await insertJob(scope, job);
  const started: Run[] = [];
  const givenUp: Approval[] = [];
  for (const [index, { agentId }] of requests.entries()) {
    const input = prepared[index];
    if (!input) continue;
    const id = scope.newId("batch_item");
    const messages = input.messages.map((message) => ({ ...message, batchItemId: id }));
    const message = { ...input, messages, isBackground: true };
    const { run, isNew, givenUp: approval } = await acceptMessage(scope, actor, { agentId }, message, marks);
    const at = scope.now();
    const item = { id, jobId: job.id, agentId, runId: run.id, request: {}, status: "created" };
    await insertBatchItems(scope, [{ ...item, createdAt: at, updatedAt: at }]);
    if (isNew) started.push(run);
    if (approval) givenUp.push(approval);
  }
  if (job.callbackUrl !== null) await putOutbox(scope, "batch", job.callbackUrl, job.id);
  return { job, started, givenUp };
}

function newBatchJob(scope: Scope, { userId }: Actor, metadata: JsonObject | null, callbackUrl: string | null): Job {
  const at = scope.now();
  return {
    id: scope.newId("job"),
    userId,
    kind: "batch",
    status: "running",
    payload: {},
    metadata,
    stopReason: null,
    callbackUrl,
    callbackSentAt: null,
    callbackStatus: null,
    callbackError: null,
    attempts: 0,
    dueAt: at,
    completedAt: null,
    createdAt: at,
    updatedAt: at,
    createdBy: userId,
    updatedBy: userId,
  };
}

/** A batch is done when its last run is; that is written down when somebody looks. */
export async function settleBatches(runtime: Runtime, actor: Actor): Promise<void> {
  if ((await listDone(readScope(runtime, actor))).length === 0) return;
  await write(runtime, actor, async (scope) => {
    for (const id of await listDone(scope)) {
      const at = scope.now();
      const completedAt = (await findBatchEnd(scope, id)) ?? at;
      await updateJob(scope, id, { status: "completed", completedAt, updatedAt: at });
    }
  });
}

/** Batches that count as running though their last run has ended. */
async function listDone(scope: Scope): Promise<string[]> {
  const running = await listJobs(scope, { kind: "batch", isOpen: true }, { limit: 1_000, order: "asc" });
  const done: string[] = [];
  for (const { id } of running) if ((await listOpenBatchRuns(scope, id)).length === 0) done.push(id);
  return done;
}
