/** Traces of calls to providers on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { LlmConfigWire } from "../models/schema.ts";
import { WireObject, wireName } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { queryInteger } from "../shared/query.ts";

export interface ProviderTraceWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string;
  updated_at: string | null;
  id: string;
  request_json: JsonObject;
  response_json: JsonObject;
  step_id: string | null;
  agent_id: string | null;
  agent_tags: string[] | null;
  call_type: string | null;
  run_id: string | null;
  source: string | null;
  org_id: string | null;
  user_id: string | null;
  compaction_settings: JsonObject | null;
  llm_config: LlmConfigWire | null;
  billing_context: JsonObject | null;
}

export const ProviderTraceWire: z.ZodType<ProviderTraceWire> = z
  .strictObject({
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string().nullable(),
    id: z.string(),
    request_json: WireObject,
    response_json: WireObject,
    step_id: z.string().nullable(),
    agent_id: z.string().nullable(),
    agent_tags: z.array(z.string()).nullable(),
    call_type: z.string().nullable(),
    run_id: z.string().nullable(),
    source: z.string().nullable(),
    org_id: z.string().nullable(),
    user_id: z.string().nullable(),
    compaction_settings: WireObject.nullable(),
    llm_config: LlmConfigWire.nullable(),
    billing_context: WireObject.nullable(),
  })
  .meta({ id: "ProviderTrace" });

export interface TraceStepParams {
  step_id: string;
}

export const TraceStepParams: z.ZodType<TraceStepParams> = z.object({ step_id: idSchema("step") });

/** The older path takes any text. */
export const TelemetryParams: z.ZodType<TraceStepParams> = z.object({ step_id: wireName });

export const TraceRunParams: z.ZodType<{ run_id: string }> = z.object({ run_id: wireName });

export const RunTraceQuery: z.ZodType<{ limit?: number }> = z.object({
  limit: queryInteger(1, 5000),
});
