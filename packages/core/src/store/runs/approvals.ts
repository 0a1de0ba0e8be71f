/** Pending approvals of conversations. A row has the id of the message with the request and closes with the answer. */
import type { ApprovalAnswer, ApprovalQuestion } from "../../shared/approval.ts";
import { updateAgent } from "../agents/agents.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { type Entity, getById, insertEntities, updateById } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export interface Approval {
  readonly id: string;
  readonly agentId: string;
  readonly conversationId: string;
  /** The run that requested the approval. */
  readonly runId: string;
  readonly question: ApprovalQuestion;
  /** Answers received so far, passed to the run that continues. */
  readonly answers: readonly ApprovalAnswer[];
  /** The run that continues with the answers; null if the approval was abandoned. */
  readonly resumedBy: string | null;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export const approvalEntity: Entity<Approval, "approval"> = {
  table: "approval",
  name: "approval",
  codec: createCodec<Approval>("approval", {
    id: plain("id"),
    agentId: plain("agent_id"),
    conversationId: plain("conversation_id"),
    runId: plain("run_id"),
    question: json("question"),
    answers: json("answers"),
    resumedBy: plain("resumed_by"),
    expiresAt: plain("expires_at"),
    createdAt: plain("created_at"),
    endedAt: plain("ended_at"),
  }),
};

export const getApproval = (scope: Scope, id: string): Promise<Approval> => getById(scope, approvalEntity, id);
export const insertApproval = (scope: Scope, approval: Approval): Promise<void> =>
  insertEntities(scope, approvalEntity, [approval]);
export const updateApproval = (scope: Scope, id: string, changes: Partial<Approval>): Promise<void> =>
  updateById(scope, approvalEntity, id, changes);

export async function findOpenApproval(scope: Scope, conversationId: string): Promise<Approval | undefined> {
  const row = await scope
    .select("approval")
    .selectAll("approval")
    .where("conversation_id", "=", conversationId)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return row && approvalEntity.codec.decode(row);
}

export interface ApprovalFilter {
  readonly agentId?: string;
  readonly conversationId?: string;
}

/** Approvals that are not answered yet. */
export async function listOpenApprovals(scope: Scope, filter: ApprovalFilter, page: PageRequest): Promise<Approval[]> {
  let query = scope.select("approval").where("ended_at", "is", null);
  if (filter.agentId !== undefined) query = query.where("agent_id", "=", filter.agentId);
  if (filter.conversationId !== undefined) query = query.where("conversation_id", "=", filter.conversationId);
  return await listPage(scope, approvalEntity, query, page);
}

/** The most recently answered, newest first. */
export async function listAnswered(scope: Scope, conversationId: string, limit: number): Promise<Approval[]> {
  const rows = await scope
    .select("approval")
    .selectAll("approval")
    .where("conversation_id", "=", conversationId)
    .where("ended_at", "is not", null)
    .orderBy("created_at", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => approvalEntity.codec.decode(row));
}

export async function listExpired(scope: Scope, limit: number): Promise<Approval[]> {
  const rows = await scope
    .select("approval")
    .selectAll("approval")
    .where("ended_at", "is", null)
    .where("expires_at", "<=", scope.due())
    .orderBy("expires_at")
    .limit(limit)
    .execute();
  return rows.map((row) => approvalEntity.codec.decode(row));
}

/** Of these messages, those whose approval is open or whose answer is being processed. */
export async function findPendingApprovals(scope: Scope, messageIds: readonly string[]): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set();
  const underWay = scope.select("run").select("run.id").where("run.ended_at", "is", null);
  const rows = await scope
    .select("approval")
    .select("approval.id")
    .where("approval.id", "in", messageIds)
    .where(({ or, eb }) => or([eb("approval.ended_at", "is", null), eb("approval.resumed_by", "in", underWay)]))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Deletes the open approval, because its request has left the context. */
export async function dropOpenApproval(scope: Scope, conversationId: string): Promise<void> {
  const dropped = await scope
    .update("approval")
    .set({ ended_at: scope.now() })
    .where("conversation_id", "=", conversationId)
    .where("ended_at", "is", null)
    .returning("agent_id")
    .executeTakeFirst();
  if (dropped) await markApprovalAbandoned(scope, dropped.agent_id);
}

/** Records the abandoned approval as the agent's last stop reason. */
export const markApprovalAbandoned = (scope: Scope, agentId: string): Promise<void> =>
  updateAgent(scope, agentId, { lastStopReason: "cancelled" });
