/** Steps on the wire. */
import { type JsonObject, stopReasons } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireList, wireName } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryEnum, queryText, queryTexts } from "../shared/query.ts";
import { WireTime } from "../shared/time.ts";

export interface StepWire {
  id: string;
  origin: string | null;
  organization_id: string;
  provider_id: string | null;
  run_id: string | null;
  agent_id: string | null;
  provider_name: string | null;
  provider_category: string | null;
  model: string | null;
  model_handle: string | null;
  model_endpoint: string | null;
  context_window_limit: number | null;
  completion_tokens: number;
  prompt_tokens: number;
  total_tokens: number;
  /** These three are told in the details. */
  cached_input_tokens: null;
  cache_write_tokens: null;
  reasoning_tokens: null;
  completion_tokens_details: JsonObject | null;
  prompt_tokens_details: JsonObject | null;
  stop_reason: string | null;
  tags: string[];
  tid: string | null;
  trace_id: string | null;
  request_id: string | null;
  messages: never[];
  feedback: "positive" | "negative" | null;
  project_id: string | null;
  error_type: string | null;
  error_data: JsonObject | null;
  status: "pending" | "success" | "failed" | "cancelled";
}

const text = z.string().nullable();

export const StepWire: z.ZodType<StepWire> = z
  .strictObject({
    id: z.string(),
    origin: text,
    organization_id: z.string(),
    provider_id: text,
    run_id: text,
    agent_id: text,
    provider_name: text,
    provider_category: text,
    model: text,
    model_handle: text,
    model_endpoint: text,
    context_window_limit: z.int().nullable(),
    completion_tokens: z.int(),
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    cached_input_tokens: z.null(),
    cache_write_tokens: z.null(),
    reasoning_tokens: z.null(),
    completion_tokens_details: WireObject.nullable(),
    prompt_tokens_details: WireObject.nullable(),
    stop_reason: z.enum(stopReasons).nullable(),
    tags: z.array(z.string()),
    tid: text,
    trace_id: text,
    request_id: text,
    messages: z.array(z.never()),
    feedback: z.enum(["positive", "negative"]).nullable(),
    project_id: text,
    error_type: text,
    error_data: WireObject.nullable(),
    status: z.enum(["pending", "success", "failed", "cancelled"]),
  })
  .meta({ id: "Step" });

export interface StepMetricsWire {
  id: string;
  organization_id: string;
  provider_id: string | null;
  run_id: string | null;
  agent_id: string | null;
  step_start_ns: null;
  llm_request_start_ns: null;
  llm_request_ns: number | null;
  tool_execution_ns: number | null;
  step_ns: number | null;
  base_template_id: null;
  template_id: null;
  project_id: string | null;
}

export const StepMetricsWire: z.ZodType<StepMetricsWire> = z
  .strictObject({
    id: z.string(),
    organization_id: z.string(),
    provider_id: text,
    run_id: text,
    agent_id: text,
    step_start_ns: z.null(),
    llm_request_start_ns: z.null(),
    llm_request_ns: z.int().nullable(),
    tool_execution_ns: z.int().nullable(),
    step_ns: z.int().nullable(),
    base_template_id: z.null(),
    template_id: z.null(),
    project_id: text,
  })
  .meta({ id: "StepMetrics" });

export interface StepParams {
  step_id: string;
}

export const StepParams: z.ZodType<StepParams> = z.object({ step_id: idSchema("step") });

export interface StepListQuery extends PageQuery {
  order_by?: "created_at";
  start_date?: string;
  end_date?: string;
  model?: string;
  agent_id?: string;
  trace_ids?: string[];
  feedback?: "positive" | "negative";
  has_feedback?: boolean;
  tags?: string[];
  project_id?: string;
}

export const StepListQuery: z.ZodType<StepListQuery> = z.object({
  ...pageShape,
  order_by: queryEnum("created_at"),
  start_date: WireTime.optional(),
  end_date: WireTime.optional(),
  model: queryText,
  agent_id: queryText,
  trace_ids: queryTexts,
  feedback: queryEnum("positive", "negative"),
  has_feedback: queryBoolean,
  tags: queryTexts,
  project_id: queryText,
});

export interface StepPageQuery extends PageQuery {
  order_by?: "created_at";
}

export const StepPageQuery: z.ZodType<StepPageQuery> = z.object({ ...pageShape, order_by: queryEnum("created_at") });

export interface FeedbackWire {
  feedback?: "positive" | "negative";
  tags?: string[];
}

export const FeedbackWire: z.ZodType<FeedbackWire> = z
  .object({ feedback: optional(z.enum(["positive", "negative"])), tags: optional(wireList(wireName)) })
  .meta({ id: "ModifyFeedbackRequest" });
