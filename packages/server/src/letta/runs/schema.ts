/** Runs on the wire. */
import { type JsonObject, type StopReason, stopReasons } from "@memoir/core";
import { z } from "zod";
import { type MessageTypeWire, messageTypes } from "../messages/schema.ts";
import { WireObject, wireName } from "../shared/fields.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryEnum, queryInteger, queryText, queryTexts } from "../shared/query.ts";
import { WireTime } from "../shared/time.ts";

export const runStatuses = ["created", "running", "completed", "failed", "cancelled"] as const;

export type RunStatusWire = (typeof runStatuses)[number];

export interface RequestConfigWire {
  use_assistant_message: boolean;
  assistant_message_tool_name: string;
  assistant_message_tool_kwarg: string;
  include_return_message_types: MessageTypeWire[] | null;
}

export interface RunWire {
  id: string;
  status: RunStatusWire;
  created_at: string;
  completed_at: string | null;
  agent_id: string;
  conversation_id: string | null;
  base_template_id: null;
  background: boolean | null;
  metadata: JsonObject | null;
  request_config: RequestConfigWire | null;
  stop_reason: string | null;
  callback_url: string | null;
  callback_sent_at: string | null;
  callback_status_code: number | null;
  callback_error: string | null;
  ttft_ns: null;
  total_duration_ns: number | null;
}

export const RunWire: z.ZodType<RunWire> = z
  .strictObject({
    id: z.string(),
    status: z.enum(runStatuses),
    created_at: z.string(),
    completed_at: z.string().nullable(),
    agent_id: z.string(),
    conversation_id: z.string().nullable(),
    base_template_id: z.null(),
    background: z.boolean().nullable(),
    metadata: WireObject.nullable(),
    request_config: z
      .strictObject({
        use_assistant_message: z.boolean(),
        assistant_message_tool_name: z.string(),
        assistant_message_tool_kwarg: z.string(),
        include_return_message_types: z.array(z.enum(messageTypes)).nullable(),
      })
      .nullable(),
    stop_reason: z.enum(stopReasons).nullable(),
    callback_url: z.string().nullable(),
    callback_sent_at: z.string().nullable(),
    callback_status_code: z.int().nullable(),
    callback_error: z.string().nullable(),
    ttft_ns: z.null(),
    total_duration_ns: z.number().nullable(),
  })
  .meta({ id: "Run" });

export interface RunMetricsWire {
  id: string;
  organization_id: string;
  agent_id: string;
  project_id: null;
  run_start_ns: number;
  run_ns: number | null;
  num_steps: number;
  tools_used: string[] | null;
  template_id: null;
  base_template_id: null;
}

export const RunMetricsWire: z.ZodType<RunMetricsWire> = z
  .strictObject({
    id: z.string(),
    organization_id: z.string(),
    agent_id: z.string(),
    project_id: z.null(),
    // Nanoseconds since 1970 are past the numbers that are exact; they are so to the microsecond.
    run_start_ns: z.number(),
    run_ns: z.number().nullable(),
    num_steps: z.int(),
    tools_used: z.array(z.string()).nullable(),
    template_id: z.null(),
    base_template_id: z.null(),
  })
  .meta({ id: "RunMetrics" });

export interface RunUsageWire {
  completion_tokens: number;
  prompt_tokens: number;
  total_tokens: number;
  prompt_tokens_details: PromptDetailsWire | null;
  completion_tokens_details: { reasoning_tokens: number } | null;
}

interface PromptDetailsWire {
  cached_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
}

export const RunUsageWire: z.ZodType<RunUsageWire> = z
  .strictObject({
    completion_tokens: z.int(),
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z
      .strictObject({ cached_tokens: z.int(), cache_read_tokens: z.int(), cache_creation_tokens: z.int() })
      .nullable(),
    completion_tokens_details: z.strictObject({ reasoning_tokens: z.int() }).nullable(),
  })
  .meta({ id: "UsageStatistics" });

export interface RunParams {
  run_id: string;
}

/** Its form is checked later, as an argument. */
export const RunParams: z.ZodType<RunParams> = z.object({ run_id: wireName });

export interface RunListQuery extends PageQuery {
  agent_id?: string;
  agent_ids?: string[];
  statuses?: string[];
  background?: boolean;
  stop_reason?: StopReason;
  conversation_id?: string;
  order_by?: "created_at";
  active?: boolean;
}

const runListShape = {
  ...pageShape,
  limit: queryInteger(1, 1000),
  agent_id: queryText,
  agent_ids: queryTexts,
  statuses: queryTexts,
  background: queryBoolean,
  stop_reason: queryEnum(...stopReasons),
  conversation_id: queryText,
  active: queryBoolean,
};

export const RunListQuery: z.ZodType<RunListQuery> = z.object({
  ...runListShape,
  order_by: queryEnum("created_at"),
});

export interface InternalRunListQuery extends Omit<RunListQuery, "order_by"> {
  run_id?: string;
  template_family?: string;
  step_count?: number;
  step_count_operator?: "eq" | "gte" | "lte";
  tools_used?: string[];
  order_by?: "created_at" | "duration";
  project_id?: string;
  duration_percentile?: number;
  duration_value?: number;
  duration_operator?: "gt" | "lt" | "eq";
  start_date?: string;
  end_date?: string;
}

export const InternalRunListQuery: z.ZodType<InternalRunListQuery> = z.object({
  ...runListShape,
  run_id: queryText,
  template_family: queryText,
  step_count: queryInteger(),
  step_count_operator: queryEnum("eq", "gte", "lte"),
  tools_used: queryTexts,
  order_by: queryEnum("created_at", "duration"),
  project_id: queryText,
  duration_percentile: queryInteger(0, 100),
  duration_value: queryInteger(0, Number.MAX_SAFE_INTEGER),
  duration_operator: queryEnum("gt", "lt", "eq"),
  start_date: WireTime.optional(),
  end_date: WireTime.optional(),
});

export interface ActiveRunQuery {
  agent_id?: string;
  background?: boolean;
}

export const ActiveRunQuery: z.ZodType<ActiveRunQuery> = z.object({ agent_id: queryText, background: queryBoolean });

export interface RunPageQuery extends PageQuery {
  order_by?: "created_at";
}

export const RunPageQuery: z.ZodType<RunPageQuery> = z.object({ ...pageShape, order_by: queryEnum("created_at") });

export interface RetrieveStreamWire {
  /** These three say which run is meant where the path does not. */
  agent_id?: string | null;
  run_id?: string | null;
  otid?: string | null;
  starting_after?: number;
  include_pings?: boolean | null;
  poll_interval?: number | null;
  batch_size?: number | null;
}

export const RetrieveStreamWire: z.ZodType<RetrieveStreamWire> = z
  .object({
    agent_id: wireName.nullish(),
    run_id: wireName.nullish(),
    otid: wireName.nullish(),
    starting_after: z.int().optional(),
    include_pings: z.boolean().nullish(),
    poll_interval: z.number().nullish(),
    batch_size: z.int().nullish(),
  })
  .meta({ id: "RetrieveStreamRequest" });
