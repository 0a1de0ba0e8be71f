/** Runs between core and wire. */
import {
  isId,
  type JsonObject,
  MemoirError,
  type Run,
  type RunFilter,
  type RunListRequest,
  type RunMetrics,
  type RunUsage,
  type RunView,
} from "@memoir/core";
import { toErrorType, withStatus } from "../shared/llm-errors.ts";
import { toPage } from "../shared/paging.ts";
import { fromWireTime, toWireTime } from "../shared/time.ts";
import {
  type ActiveRunQuery,
  type InternalRunListQuery,
  type RequestConfigWire,
  type RunListQuery,
  type RunMetricsWire,
  type RunStatusWire,
  type RunUsageWire,
  type RunWire,
  runStatuses,
} from "./schema.ts";

/** Older paths check the form of an id as an argument. */
export function checkRunId(id: string): string {
  if (isId("run", id)) return id;
  throw new MemoirError("invalid-argument", `Invalid run ID format: ${id}. Expected format: 'run-<uuid4>'`);
}

export function toRunWire({ run, isDefault }: RunView): RunWire {
  return {
    id: run.id,
    status: run.status,
    created_at: toWireTime(run.createdAt),
    completed_at: toWireTime(run.endedAt),
    agent_id: run.agentId,
    conversation_id: isDefault ? null : run.conversationId,
    base_template_id: null,
    background: run.isBackground,
    metadata: toMetadata(run),
    request_config: toRequestConfig(run.request.view),
    stop_reason: run.stopReason,
    callback_url: run.callbackUrl,
    callback_sent_at: toWireTime(run.callbackSentAt),
    callback_status_code: run.callbackStatus,
    callback_error: run.callbackError,
    ttft_ns: null,
    total_duration_ns: run.durationNs,
  };
}

/** What went wrong is put in the words of an error inside a stream, which clients know. */
export function toMetadata({ id, metadata }: Run): JsonObject | null {
  const failure = metadata?.error as { readonly code?: string; readonly message?: string } | undefined;
  if (!metadata || typeof failure?.code !== "string") return metadata;
  const message = failure.message ?? "";
  const error = { run_id: id, error_type: toErrorType(failure.code), message, detail: withStatus(message) };
  return { ...metadata, error };
}

function toRequestConfig(view: JsonObject): RequestConfigWire | null {
  if (typeof view.use_assistant_message !== "boolean") return null;
  return {
    use_assistant_message: view.use_assistant_message,
    assistant_message_tool_name: String(view.assistant_message_tool_name),
    assistant_message_tool_kwarg: String(view.assistant_message_tool_kwarg),
    include_return_message_types: (view.include_return_message_types ??
      null) as RequestConfigWire["include_return_message_types"],
  };
}

export function toRunMetricsWire({ run, steps, toolIds }: RunMetrics, orgId: string): RunMetricsWire {
  return {
    id: run.id,
    organization_id: orgId,
    agent_id: run.agentId,
    project_id: null,
    run_start_ns: run.createdAt * 1000,
    run_ns: run.durationNs,
    num_steps: steps,
    tools_used: toolIds.length > 0 ? [...toolIds] : null,
    template_id: null,
    base_template_id: null,
  };
}

/** Details are given where they say something. */
export function toRunUsageWire(usage: RunUsage): RunUsageWire {
  const [cached, written, reasoning] = [
    usage.cachedTokens ?? 0,
    usage.cacheWriteTokens ?? 0,
    usage.reasoningTokens ?? 0,
  ];
  return {
    completion_tokens: usage.completionTokens,
    prompt_tokens: usage.promptTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details:
      cached + written > 0
        ? { cached_tokens: cached, cache_read_tokens: cached, cache_creation_tokens: written }
        : null,
    completion_tokens_details: reasoning > 0 ? { reasoning_tokens: reasoning } : null,
  };
}

export function fromRunList(query: RunListQuery): RunListRequest {
  return { filter: fromFilter(query), page: toPage(query, { limit: 100, order: "desc" }) };
}

export function fromActiveRuns({ agent_id, background }: ActiveRunQuery): RunListRequest {
  return {
    filter: { agentIds: agent_id ? [agent_id] : undefined, isBackground: background, isOpen: true },
    page: { limit: 1000, order: "desc" },
  };
}

const stepComparisons = { eq: "=", gte: ">=", lte: "<=" } as const;
const durationComparisons = { gt: ">", lt: "<", eq: "=" } as const;

export function fromInternalRunList(query: InternalRunListQuery): RunListRequest {
  const { step_count, step_count_operator = "eq", duration_value, duration_operator = "gt" } = query;
  return {
    filter: {
      ...fromFilter(query),
      id: query.run_id || undefined,
      projectId: query.project_id || undefined,
      baseTemplateId: query.template_family || undefined,
      steps:
        step_count === undefined ? undefined : { comparison: stepComparisons[step_count_operator], count: step_count },
      toolNames: query.tools_used?.length ? query.tools_used : undefined,
      duration:
        duration_value === undefined
          ? undefined
          : { comparison: durationComparisons[duration_operator], ns: duration_value },
      durationPercentile: query.duration_percentile,
      since: query.start_date === undefined ? undefined : fromWireTime(query.start_date),
      until: query.end_date === undefined ? undefined : fromWireTime(query.end_date),
    },
    page: toPage(query, { limit: 100, order: "desc" }),
    orderBy: query.order_by === "duration" ? "duration_ns" : "created_at",
  };
}

function fromFilter(query: Omit<RunListQuery, "order_by">): RunFilter {
  const { agent_id, agent_ids, conversation_id } = query;
  return {
    agentIds: agent_id ? [agent_id] : agent_ids?.length ? agent_ids : undefined,
    statuses: query.statuses?.length ? query.statuses.map(toStatus) : undefined,
    isBackground: query.background,
    stopReason: query.stop_reason,
    conversation: conversation_id ? (conversation_id === "default" ? "default" : { id: conversation_id }) : undefined,
    isOpen: query.active,
  };
}

function toStatus(text: string): RunStatusWire {
  const status = runStatuses.find((candidate) => candidate === text);
  if (status) return status;
  const known = runStatuses.join(", ");
  throw new MemoirError("invalid-argument", `statuses holds "${text.slice(0, 100)}", which is none of ${known}`);
}
