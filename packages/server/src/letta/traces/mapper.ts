/** Traces between core and wire. Bodies are JSON objects there; a stream becomes the list of its events. */
import { type JsonObject, parseJsonObject, type StepTrace, type Trace } from "@memoir/core";
import { toLlmConfigWire } from "../models/mapper.ts";
import { toWireTime } from "../shared/time.ts";
import type { ProviderTraceWire } from "./schema.ts";

const callTypes = { step: "agent_step", summary: "summarization" } as const;

export function toProviderTraceWire(trace: StepTrace, orgId: string): ProviderTraceWire {
  return {
    created_by_id: trace.createdBy,
    last_updated_by_id: trace.createdBy,
    created_at: toWireTime(trace.createdAt),
    updated_at: toWireTime(trace.createdAt),
    id: trace.id,
    request_json: parseJsonObject(toText(trace.request)) ?? {},
    response_json: toResponseJson(trace),
    step_id: trace.stepId,
    agent_id: trace.agentId,
    agent_tags: [...trace.agentTags],
    call_type: callTypes[trace.detail.purpose],
    run_id: trace.runId,
    source: null,
    org_id: orgId,
    user_id: trace.createdBy,
    compaction_settings: null,
    llm_config: trace.config && toLlmConfigWire(trace.config),
    billing_context: null,
  };
}

export function toSpanWire({ id, stepId, runId, detail }: Trace): JsonObject {
  return {
    trace_id: runId,
    span_id: id,
    parent_span_id: stepId,
    name: callTypes[detail.purpose],
    start_time: toWireTime(detail.startedAt),
    duration_ns: detail.durationMs === null ? null : Math.round(detail.durationMs * 1_000_000),
    status: detail.error === null && (detail.status ?? 200) < 400 ? "ok" : "error",
    attributes: {
      provider: detail.provider,
      model: detail.model,
      url: detail.url,
      status: detail.status,
      error: detail.error,
    },
  };
}

export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function toResponseJson({ response, detail }: Trace): JsonObject {
  if (response === null) return { error: detail.error ?? "the provider did not answer" };
  const text = toText(response);
  const whole = parseJsonObject(text);
  if (whole) return whole;
  const events = text.split("\n").flatMap(readEvent);
  return events.length > 0 ? { events } : { text };
}

/** What one line of a stream of events carries. */
function readEvent(line: string): JsonObject[] {
  const event = line.startsWith("data:") ? parseJsonObject(line.slice(5)) : undefined;
  return event ? [event] : [];
}
