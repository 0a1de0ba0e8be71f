/** Jobs between core and wire. */
import type { Job, JobFilter } from "@memoir/core";
import { toWireTime } from "../shared/time.ts";
import type { JobListQuery, JobWire } from "./schema.ts";

export function toJobWire(job: Job): JobWire {
  return {
    created_by_id: job.createdBy,
    last_updated_by_id: job.updatedBy,
    created_at: toWireTime(job.createdAt),
    updated_at: toWireTime(job.updatedAt),
    status: job.status,
    completed_at: toWireTime(job.completedAt),
    stop_reason: job.stopReason,
    metadata: job.metadata,
    job_type: job.kind,
    background: null,
    agent_id: null,
    callback_url: job.callbackUrl,
    callback_sent_at: toWireTime(job.callbackSentAt),
    callback_status_code: job.callbackStatus,
    callback_error: job.callbackError,
    ttft_ns: null,
    total_duration_ns: job.completedAt === null ? null : (job.completedAt - job.createdAt) * 1000,
    id: job.id,
  };
}

export function fromJobFilter({ source_id, active }: JobListQuery): JobFilter {
  return { folderId: source_id || undefined, isOpen: active };
}
