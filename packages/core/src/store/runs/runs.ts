/** Runs: one per message sent, ordered within a conversation by acceptance. */
import { sql } from "kysely";
import type { ApprovalAnswer, ApprovalQuestion } from "../../shared/approval.ts";
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import type { ContentPart, ToolDefinition } from "../../shared/content.ts";
import { notFound } from "../../shared/errors.ts";
import { type RunFailure, type StopReason, statusOfReason } from "../../shared/events.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import type { ToolPermissions } from "../../shared/tool-permissions.ts";
import { createCodec, flag, json, plain } from "../engine/codec.ts";
import { type Entity, findById, getById, insertEntities } from "../engine/entity.ts";
import { prepare, type Values } from "../engine/prepared.ts";
import type { Scope } from "../engine/scope.ts";
import { putOutbox } from "./outbox.ts";

export type RunStatus = "created" | "running" | "completed" | "failed" | "cancelled";

export interface Run {
  readonly id: string;
  readonly agentId: string;
  readonly conversationId: string;
  /** Fencing token: the owner of the run holds the newest epoch, and writes with an older one are rejected. */
  readonly epoch: number;
  /** `created`: accepted, but its input is not yet in the context. */
  readonly status: RunStatus;
  readonly stopReason: StopReason | null;
  readonly kind: string;
  readonly isBackground: boolean;
  readonly isCancelled: boolean;
  /** Number of takeovers, by another process or after a restart, since its last event. */
  readonly takeovers: number;
  readonly request: RunRequest;
  readonly metadata: JsonObject | null;
  readonly callbackUrl: string | null;
  /** When the webhook was last sent, and its result. */
  readonly callbackSentAt: number | null;
  readonly callbackStatus: number | null;
  readonly callbackError: string | null;
  readonly durationNs: number | null;
  readonly endedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
}

/** The request; sufficient to start the run, also after a crash. */
export interface RunRequest {
  readonly input: readonly RunInput[];
  readonly maxSteps: number;
  /** Id of the first step, shared by the input messages. */
  readonly firstStepId: string;
  /** Model override for this run. */
  readonly model: string | null;
  /** Configuration of the override's handle at the time of acceptance. */
  readonly modelConfig?: ModelConfig | null;
  readonly system: string | null;
  /** The approval that the run continues; its input follows. */
  readonly approval?: RunApproval;
  /** Tools of this run that the client executes. */
  readonly clientTools?: readonly ToolDefinition[];
  /** Skills of this run that the client can look up. */
  readonly clientSkills?: readonly ClientSkill[];
  /** A compaction instead of a turn, with these settings over the agent's own. */
  readonly compaction?: Partial<CompactionSettings>;
  /** Logs deltas of replies, for streaming clients. */
  readonly streamsTokens?: boolean;
  /** The client's request id, recorded in steps. */
  readonly requestId?: string;
  /** Response options of the client; not used by the loop. */
  readonly view: JsonObject;
}

export interface RunApproval {
  readonly id: string;
  /** Id of the message with the answers. */
  readonly messageId: string;
  readonly question: ApprovalQuestion;
  readonly answers: readonly ApprovalAnswer[];
}

export interface ClientSkill {
  readonly name: string;
  readonly description: string;
  /** Location of the skill at the client. */
  readonly location: string;
}

export interface RunInput {
  readonly messageId: string;
  readonly role: "user" | "system" | "assistant";
  readonly content: readonly ContentPart[];
  readonly name: string | null;
  readonly otid: string | null;
  readonly senderId: string | null;
  readonly groupId: string | null;
  readonly batchItemId: string | null;
}

/** Ids of the input messages, which are also listed among the run's messages. */
export function inputIdsOf({ request }: Run): Set<string> {
  const ids = request.input.map(({ messageId }) => messageId);
  return new Set(request.approval ? [...ids, request.approval.messageId] : ids);
}

export const runEntity: Entity<Run, "run"> = {
  table: "run",
  name: "run",
  codec: createCodec<Run>("run", {
    id: plain("id"),
    agentId: plain("agent_id"),
    conversationId: plain("conversation_id"),
    epoch: plain("epoch"),
    status: plain("status"),
    stopReason: plain("stop_reason"),
    kind: plain("kind"),
    isBackground: flag("is_background"),
    isCancelled: flag("is_cancelled"),
    takeovers: plain("takeovers"),
    request: json("request"),
    metadata: json("metadata"),
    callbackUrl: plain("callback_url"),
    callbackSentAt: plain("callback_sent_at"),
    callbackStatus: plain("callback_status"),
    callbackError: plain("callback_error"),
    durationNs: plain("duration_ns"),
    endedAt: plain("ended_at"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
  }),
};

export const getRun = (scope: Scope, id: string): Promise<Run> => getById(scope, runEntity, id);
export const findRun = (scope: Scope, id: string): Promise<Run | undefined> => findById(scope, runEntity, id);
export const insertRun = (scope: Scope, run: Run): Promise<void> => insertEntities(scope, runEntity, [run]);

/**
 * The next run of the conversation: the active one first, because a run with approval answers precedes queued messages.
 * Undefined while an approval is pending.
 */
export async function findNextRun(scope: Scope, conversationId: string): Promise<Run | undefined> {
  const waits = scope
    .select("approval")
    .select("approval.id")
    .where("approval.conversation_id", "=", conversationId)
    .where("approval.ended_at", "is", null);
  const row = await scope
    .select("run")
    .selectAll("run")
    .where("conversation_id", "=", conversationId)
    .where("ended_at", "is", null)
    .where((eb) => eb.not(eb.exists(waits)))
    .orderBy(sql`case when status = 'created' then 1 else 0 end`)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row && runEntity.codec.decode(row);
}

/** In order, the active one first. */
export async function listOpenRuns(scope: Scope, conversationId: string): Promise<Run[]> {
  const rows = await scope
    .select("run")
    .selectAll("run")
    .where("conversation_id", "=", conversationId)
    .where("ended_at", "is", null)
    .orderBy("seq")
    .execute();
  return rows.map((row) => runEntity.codec.decode(row));
}

export async function findLastRunId(scope: Scope, conversationId: string): Promise<string | undefined> {
  const runs = scope.select("run").select("run.id").where("conversation_id", "=", conversationId);
  return (await runs.orderBy("seq", "desc").limit(1).executeTakeFirst())?.id;
}

/** Takes over the run: from here on only writes with the new epoch succeed. */
export async function claimRun(scope: Scope, run: Run): Promise<Run | undefined> {
  const row = await scope
    .update("run")
    .set({
      epoch: sql<number>`epoch + 1`,
      // Starting a queued run does not count as a takeover.
      takeovers: sql<number>`case when status = 'created' then 0 else takeovers + 1 end`,
      status: "running",
      updated_at: scope.now(),
    })
    .where("id", "=", run.id)
    .where("epoch", "=", run.epoch)
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row && runEntity.codec.decode(row);
}

/** The run was taken over or has ended: the former owner stops silently. */
export class LostRunError extends Error {
  constructor(runId: string) {
    super(`run ${runId} is no longer ours`);
    this.name = "LostRunError";
  }
}

interface Fence {
  readonly id: string;
  readonly epoch: number;
  readonly at: number;
}

const ownRun = (scope: Scope, { id, epoch }: Fence) =>
  scope.update("run").where("id", "=", id).where("epoch", "=", epoch).where("ended_at", "is", null);

const touchRun = prepare((scope, run: Fence & Values) =>
  ownRun(scope, run).set({ updated_at: run.at, takeovers: 0 }).returning("id"),
);

const touchDelta = prepare((scope, run: Fence & Values) =>
  ownRun(scope, run).set({ updated_at: run.at }).returning("id"),
);

const touchStep = prepare((scope, run: Fence & Values & { agentId: string }) =>
  ownRun(scope, run)
    .set({ updated_at: run.at, takeovers: 0 })
    .returning(
      scope.select("agent").select("agent.tool_permissions").where("agent.id", "=", run.agentId).as("permissions"),
    ),
);

const readPermissions = prepare((scope, { agentId }: { agentId: string }) =>
  scope.select("agent").select("agent.tool_permissions as permissions").where("agent.id", "=", agentId),
);

/** The current tool permissions of the run's agent, if restricted. */
export async function findPermissions(
  scope: Scope,
  { agentId }: Pick<Run, "agentId">,
): Promise<ToolPermissions | null> {
  const [row] = await readPermissions(scope, { agentId });
  return decodePermissions(row?.permissions ?? null);
}

const decodePermissions = (stored: string | null) => (stored === null ? null : (JSON.parse(stored) as ToolPermissions));

/** Rejects writes of a former owner; must be part of every commit of a run. */
export async function fenceRun(scope: Scope, { id, epoch }: Pick<Run, "id" | "epoch">): Promise<void> {
  const [row] = await touchRun(scope, { id, epoch, at: scope.now() });
  if (!row) throw new LostRunError(id);
}

/**
 * Like `fenceRun`, for deltas; they do not reset `takeovers`, because the next attempt requests the whole reply again.
 */
export async function fenceDelta(scope: Scope, { id, epoch }: Pick<Run, "id" | "epoch">): Promise<void> {
  const [row] = await touchDelta(scope, { id, epoch, at: scope.now() });
  if (!row) throw new LostRunError(id);
}

/** Resets `takeovers` at an orderly stop, which does not suggest that the run crashes processes. */
export async function releaseRun(scope: Scope, { id, epoch }: Pick<Run, "id" | "epoch">): Promise<void> {
  await ownRun(scope, { id, epoch, at: 0 }).set({ takeovers: 0 }).execute();
}

/** Like `fenceRun`, in a commit after which the run continues; returns the current tool permissions. */
export async function fenceStep(
  scope: Scope,
  { id, epoch, agentId }: Pick<Run, "id" | "epoch" | "agentId">,
): Promise<ToolPermissions | null> {
  const [row] = await touchStep(scope, { id, epoch, agentId, at: scope.now() });
  if (!row) throw new LostRunError(id);
  return decodePermissions(row.permissions);
}

/** The fields of a run as they are after its last commit, where they may differ from when it was accepted. */
export type RunEnd = Pick<
  Run,
  "epoch" | "status" | "stopReason" | "endedAt" | "updatedAt" | "takeovers" | "durationNs" | "metadata"
>;

/** Like `fenceRun`, in the last commit of a run; also queues its webhook, and returns the fields as they are stored. */
export async function fenceEnd(
  scope: Scope,
  run: Pick<Run, "id" | "epoch" | "callbackUrl" | "createdAt" | "metadata">,
  { reason, failure }: { readonly reason: StopReason; readonly failure?: RunFailure },
): Promise<RunEnd> {
  const { id, epoch, callbackUrl } = run;
  const at = scope.now();
  const end: RunEnd = {
    epoch,
    status: statusOfReason(reason),
    stopReason: reason,
    endedAt: at,
    updatedAt: at,
    takeovers: 0,
    durationNs: (at - run.createdAt) * 1000,
    metadata: failure ? { ...run.metadata, error: { ...failure } } : run.metadata,
  };
  const { numUpdatedRows } = await ownRun(scope, { id, epoch, at })
    .set({
      updated_at: at,
      status: end.status,
      stop_reason: end.stopReason,
      ended_at: at,
      takeovers: 0,
      duration_ns: end.durationNs,
      ...(failure ? { metadata: JSON.stringify(end.metadata) } : {}),
    })
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new LostRunError(id);
  if (callbackUrl !== null) await putOutbox(scope, "run", callbackUrl, id);
  return end;
}

/** Marks an ended run whose approval was abandoned as cancelled; its log is unchanged. */
export async function markEndCancelled(scope: Scope, id: string): Promise<void> {
  await scope
    .update("run")
    .set({ status: "cancelled", stop_reason: "cancelled", updated_at: scope.now() })
    .where("id", "=", id)
    .where("stop_reason", "=", "requires_approval")
    .execute();
}

export async function markCancelled(scope: Scope, id: string): Promise<void> {
  const { numUpdatedRows } = await scope
    .update("run")
    .set({ is_cancelled: 1, updated_at: scope.now() })
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound("run", id);
}
