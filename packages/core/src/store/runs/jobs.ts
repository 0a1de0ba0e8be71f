/** Lists jobs: work outside of conversations. */
import { sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import type { StopReason } from "../../shared/events.ts";
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { deleteById, type Entity, getById, insertEntities, updateById } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export const jobStatuses = ["created", "running", "completed", "failed", "pending", "cancelled", "expired"] as const;

export type JobStatus = (typeof jobStatuses)[number];

export interface Job {
  readonly id: string;
  readonly userId: string | null;
  readonly kind: "job" | "batch";
  readonly status: JobStatus;
  readonly payload: JsonObject;
  readonly metadata: JsonObject | null;
  readonly stopReason: StopReason | null;
  readonly callbackUrl: string | null;
  readonly callbackSentAt: number | null;
  readonly callbackStatus: number | null;
  readonly callbackError: string | null;
  readonly attempts: number;
  readonly dueAt: number;
  readonly completedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

const jobEntity: Entity<Job, "job"> = {
  table: "job",
  name: "job",
  codec: createCodec<Job>("job", {
    id: plain("id"),
    userId: plain("user_id"),
    kind: plain("kind"),
    status: plain("status"),
    payload: json("payload"),
    metadata: json("metadata"),
    stopReason: plain("stop_reason"),
    callbackUrl: plain("callback_url"),
    callbackSentAt: plain("callback_sent_at"),
    callbackStatus: plain("callback_status"),
    callbackError: plain("callback_error"),
    attempts: plain("attempts"),
    dueAt: plain("due_at"),
    completedAt: plain("completed_at"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getJob = (scope: Scope, id: string): Promise<Job> => getById(scope, jobEntity, id);
export const insertJob = (scope: Scope, job: Job): Promise<void> => insertEntities(scope, jobEntity, [job]);
export const updateJob = (scope: Scope, id: string, changes: Partial<Job>): Promise<void> =>
  updateById(scope, jobEntity, id, changes);
export const deleteJob = (scope: Scope, id: string): Promise<void> => deleteById(scope, jobEntity, id);

export interface JobFilter {
  readonly kind?: Job["kind"];
  readonly isOpen?: boolean;
  /** Only jobs about this folder. */
  readonly folderId?: string;
}

export const openStatuses: readonly JobStatus[] = ["created", "running", "pending"];

export function listJobs(scope: Scope, { kind, isOpen, folderId }: JobFilter, page: PageRequest): Promise<Job[]> {
  let query = scope.select("job");
  if (kind !== undefined) query = query.where("job.kind", "=", kind);
  if (isOpen) query = query.where("job.status", "in", openStatuses);
  if (folderId !== undefined) {
    const [metadata, text] = [sql.ref("job.metadata"), `"source_id":${JSON.stringify(folderId)}`];
    query = query.where(sql<boolean>`replace(${metadata}, ${text}, '') <> ${metadata}`);
  }
  return listPage(scope, jobEntity, query, page);
}

const statusOfFile: Readonly<Record<string, JobStatus>> = {
  pending: "pending",
  parsing: "running",
  embedding: "running",
  completed: "completed",
  error: "failed",
};

/** Clients poll an upload by the id of its file. */
export async function getFileJob(scope: Scope, fileId: string): Promise<Job> {
  const file = await scope.select("file").selectAll("file").where("id", "=", fileId).executeTakeFirst();
  if (!file) throw notFound("job", fileId);
  const status = statusOfFile[file.status] ?? "pending";
  return {
    id: file.id,
    userId: file.created_by,
    kind: "job",
    status,
    payload: {},
    metadata: { source_id: file.folder_id, file_name: file.name, ...(file.error ? { error: file.error } : {}) },
    stopReason: null,
    callbackUrl: null,
    callbackSentAt: null,
    callbackStatus: null,
    callbackError: null,
    attempts: 0,
    dueAt: file.created_at,
    completedAt: openStatuses.includes(status) ? null : file.updated_at,
    createdAt: file.created_at,
    updatedAt: file.updated_at,
    createdBy: file.created_by,
    updatedBy: file.updated_by,
  };
}
