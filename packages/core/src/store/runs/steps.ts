/** Steps: the record of each model call of a run. */
import type { StopReason } from "../../shared/events.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { ContextRange } from "../../shared/prompt-snapshot.ts";
import { createCodec, type Fields, json, plain } from "../engine/codec.ts";
import { type Entity, getById, insertEntities } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";

export interface Step {
  readonly id: string;
  readonly runId: string | null;
  readonly agentId: string | null;
  readonly conversationId: string | null;
  /** What requested the step, if not the agent's own turn. */
  readonly origin: string | null;
  readonly providerName: string | null;
  readonly providerCategory: string | null;
  readonly model: string | null;
  readonly modelHandle: string | null;
  readonly modelEndpoint: string | null;
  readonly contextWindow: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly status: "pending" | "success" | "failed" | "cancelled";
  readonly stopReason: StopReason | null;
  readonly errorType: string | null;
  readonly errorData: JsonObject | null;
  readonly modelNs: number | null;
  readonly toolNs: number | null;
  readonly totalNs: number | null;
  readonly projectId: string | null;
  /** The client's request id. */
  readonly requestId: string | null;
  /** Hashes of the prompt; null in steps without a model call and in steps of older versions. */
  readonly systemHash: string | null;
  readonly toolsHash: string | null;
  readonly requestHash: string | null;
  readonly trail: ContextRange | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Shared with step-list.ts. */
export const stepFields: Fields<Step> = {
  id: plain("id"),
  runId: plain("run_id"),
  agentId: plain("agent_id"),
  conversationId: plain("conversation_id"),
  origin: plain("origin"),
  providerName: plain("provider_name"),
  providerCategory: plain("provider_category"),
  model: plain("model"),
  modelHandle: plain("model_handle"),
  modelEndpoint: plain("model_endpoint"),
  contextWindow: plain("context_window"),
  promptTokens: plain("prompt_tokens"),
  completionTokens: plain("completion_tokens"),
  totalTokens: plain("total_tokens"),
  cachedTokens: plain("cached_tokens"),
  cacheWriteTokens: plain("cache_write_tokens"),
  reasoningTokens: plain("reasoning_tokens"),
  status: plain("status"),
  stopReason: plain("stop_reason"),
  errorType: plain("error_type"),
  errorData: json("error_data"),
  modelNs: plain("llm_ns"),
  toolNs: plain("tool_ns"),
  totalNs: plain("total_ns"),
  projectId: plain("project_id"),
  requestId: plain("request_id"),
  systemHash: plain("system_hash"),
  toolsHash: plain("tools_hash"),
  requestHash: plain("request_hash"),
  trail: json("message_ids"),
  createdAt: plain("created_at"),
  updatedAt: plain("updated_at"),
};

export const stepEntity: Entity<Step, "step"> = {
  table: "step",
  name: "step",
  codec: createCodec<Step>("step", stepFields),
};

export const insertStep = (scope: Scope, step: Step): Promise<void> => insertEntities(scope, stepEntity, [step]);
export const getStep = (scope: Scope, id: string): Promise<Step> => getById(scope, stepEntity, id);

/** In order of creation. */
export async function listRunSteps(scope: Scope, runId: string): Promise<Step[]> {
  const rows = await scope.select("step").selectAll("step").where("run_id", "=", runId).orderBy("seq").execute();
  return rows.map((row) => stepEntity.codec.decode(row));
}
