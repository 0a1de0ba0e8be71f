/** Jobs on the wire. */
import { type JobStatus, type JsonObject, jobStatuses, uuid4Pattern } from "@memoir/core";
import { z } from "zod";
import { WireObject, wireName } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryEnum, queryText } from "../shared/query.ts";

export interface JobWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string;
  updated_at: string;
  status: JobStatus;
  completed_at: string | null;
  stop_reason: string | null;
  metadata: JsonObject | null;
  job_type: "job" | "run" | "batch";
  background: null;
  agent_id: null;
  callback_url: string | null;
  callback_sent_at: string | null;
  callback_status_code: number | null;
  callback_error: string | null;
  ttft_ns: null;
  total_duration_ns: number | null;
  id: string;
}

const text = z.string().nullable();

export const JobWire: z.ZodType<JobWire> = z
  .strictObject({
    created_by_id: text,
    last_updated_by_id: text,
    created_at: z.string(),
    updated_at: z.string(),
    status: z.enum(jobStatuses),
    completed_at: text,
    stop_reason: text,
    metadata: WireObject.nullable(),
    job_type: z.enum(["job", "run", "batch"]),
    background: z.null(),
    agent_id: z.null(),
    callback_url: text,
    callback_sent_at: text,
    callback_status_code: z.int().nullable(),
    callback_error: text,
    ttft_ns: z.null(),
    total_duration_ns: z.number().nullable(),
    id: z.string(),
  })
  .meta({ id: "Job" });

export interface JobParams {
  job_id: string;
}

export const JobParams: z.ZodType<JobParams> = z.object({ job_id: idSchema("job") });

/** Uploads are waited for under the id of their file. */
export const JobOrFileParams: z.ZodType<JobParams> = z.object({
  job_id: wireName.regex(
    new RegExp(`^(job|file)-${uuid4Pattern}$`),
    "Input should be the id of a job (job-{uuid4}) or of a file (file-{uuid4})",
  ),
});

export interface JobListQuery extends PageQuery {
  source_id?: string;
  order_by?: "created_at";
  active?: boolean;
}

export const JobListQuery: z.ZodType<JobListQuery> = z.object({
  ...pageShape,
  source_id: queryText,
  order_by: queryEnum("created_at"),
  active: queryBoolean,
});
