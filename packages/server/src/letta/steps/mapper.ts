/** Steps between core and wire. */
import type { JsonObject, ListedStep, StepListRequest } from "@memoir/core";
import { toErrorType } from "../shared/llm-errors.ts";
import { toPage } from "../shared/paging.ts";
import { fromWireTime } from "../shared/time.ts";
import type { StepListQuery, StepMetricsWire, StepWire } from "./schema.ts";

export function toStepWire(step: ListedStep, orgId: string): StepWire {
  return {
    id: step.id,
    origin: step.origin,
    organization_id: orgId,
    provider_id: step.providerId,
    run_id: step.runId,
    agent_id: step.agentId,
    provider_name: step.providerName,
    provider_category: step.providerCategory,
    model: step.model,
    model_handle: step.modelHandle,
    model_endpoint: step.modelEndpoint,
    context_window_limit: step.contextWindow,
    completion_tokens: step.completionTokens,
    prompt_tokens: step.promptTokens,
    total_tokens: step.totalTokens,
    cached_input_tokens: null,
    cache_write_tokens: null,
    reasoning_tokens: null,
    completion_tokens_details: step.reasoningTokens === null ? null : { reasoning_tokens: step.reasoningTokens },
    prompt_tokens_details: toPromptDetails(step),
    stop_reason: step.stopReason,
    tags: [...(step.tags ?? [])],
    tid: step.tid,
    trace_id: step.traceId,
    request_id: step.requestId,
    messages: [],
    feedback: step.feedback,
    project_id: step.projectId,
    error_type: step.errorType && toErrorType(step.errorType),
    error_data: step.errorData,
    status: step.status,
  };
}

/** Absent where the provider says nothing about its cache. */
function toPromptDetails({ cachedTokens, cacheWriteTokens }: ListedStep): JsonObject | null {
  if (cachedTokens === null && cacheWriteTokens === null) return null;
  const cached = cachedTokens ?? 0;
  return { cached_tokens: cached, cache_read_tokens: cached, cache_creation_tokens: cacheWriteTokens ?? 0 };
}

export function toStepMetricsWire(step: ListedStep, orgId: string): StepMetricsWire {
  const { modelNs, toolNs, totalNs } = step;
  return {
    id: step.id,
    organization_id: orgId,
    provider_id: step.providerId,
    run_id: step.runId,
    agent_id: step.agentId,
    step_start_ns: null,
    llm_request_start_ns: null,
    llm_request_ns: modelNs,
    tool_execution_ns: toolNs,
    step_ns: totalNs ?? (modelNs === null ? null : modelNs + (toolNs ?? 0)),
    base_template_id: null,
    template_id: null,
    project_id: step.projectId,
  };
}

export function fromStepList(query: StepListQuery): StepListRequest {
  return {
    filter: {
      agentId: query.agent_id || undefined,
      model: query.model || undefined,
      traceIds: query.trace_ids?.length ? query.trace_ids : undefined,
      feedback: query.feedback,
      hasFeedback: query.has_feedback,
      tags: query.tags,
      projectId: query.project_id || undefined,
      since: query.start_date === undefined ? undefined : fromWireTime(query.start_date),
      until: query.end_date === undefined ? undefined : fromWireTime(query.end_date),
    },
    page: toPage(query, { limit: 50, order: "desc" }),
  };
}
