/** Model configurations between core and wire. */
import {
  type CompactionSettings,
  type EmbeddingConfig,
  findProviderRow,
  type JsonObject,
  type ModelConfig,
  omitUndefined,
} from "@memoir/core";
import {
  type CompactionSettingsInput,
  type CompactionSettingsWire,
  type EmbeddingConfigInput,
  type EmbeddingConfigWire,
  isSettingsMember,
  type LlmConfigInput,
  type LlmConfigWire,
  type ModelSettingsWire,
  type ProviderType,
} from "./schema.ts";

export function toLlmConfigWire(config: ModelConfig): LlmConfigWire {
  return {
    model: config.model,
    display_name: null,
    model_endpoint_type: config.endpointKind,
    model_endpoint: config.endpoint,
    provider_name: config.provider,
    provider_category: config.category,
    model_wrapper: config.wrapper,
    context_window: config.contextWindow,
    put_inner_thoughts_in_kwargs: config.thoughtsInArguments,
    handle: config.handle,
    temperature: config.temperature,
    max_tokens: config.maxOutputTokens,
    enable_reasoner: config.reasoning.enabled,
    reasoning_effort: config.reasoning.effort,
    max_reasoning_tokens: config.reasoning.budgetTokens,
    effort: config.effort,
    frequency_penalty: config.frequencyPenalty,
    compatibility_type: config.weightsFormat,
    verbosity: config.verbosity,
    tier: config.tier,
    parallel_tool_calls: config.parallelToolCalls,
    response_format: config.responseFormat as LlmConfigWire["response_format"],
    strict: config.strict,
    return_logprobs: config.returnLogprobs,
    top_logprobs: config.topLogprobs,
    return_token_ids: config.returnTokenIds,
    tool_call_parser: config.toolCallParser,
  };
}

export function fromLlmConfig(wire: LlmConfigInput): ModelConfig {
  return {
    handle: wire.handle ?? (wire.provider_name ? `${wire.provider_name}/${wire.model}` : null),
    model: wire.model,
    displayName: wire.display_name ?? null,
    provider: wire.provider_name ?? null,
    category: wire.provider_category ?? null,
    endpointKind: wire.model_endpoint_type,
    endpoint: wire.model_endpoint ?? null,
    contextWindow: wire.context_window,
    maxOutputTokens: wire.max_tokens ?? null,
    temperature: wire.temperature ?? 1,
    reasoning: {
      enabled: wire.enable_reasoner ?? true,
      effort: wire.reasoning_effort ?? null,
      budgetTokens: wire.max_reasoning_tokens ?? 0,
    },
    effort: wire.effort ?? null,
    verbosity: wire.verbosity ?? null,
    frequencyPenalty: wire.frequency_penalty ?? null,
    parallelToolCalls: wire.parallel_tool_calls ?? false,
    strict: wire.strict ?? false,
    responseFormat: wire.response_format ?? null,
    thoughtsInArguments: wire.put_inner_thoughts_in_kwargs ?? false,
    wrapper: wire.model_wrapper ?? null,
    weightsFormat: wire.compatibility_type ?? null,
    tier: wire.tier ?? null,
    returnLogprobs: wire.return_logprobs ?? false,
    topLogprobs: wire.top_logprobs ?? null,
    returnTokenIds: wire.return_token_ids ?? false,
    toolCallParser: wire.tool_call_parser ?? null,
  };
}

export function toEmbeddingConfigWire(config: EmbeddingConfig): EmbeddingConfigWire {
  return {
    embedding_endpoint_type: config.endpointKind,
    embedding_endpoint: config.endpoint,
    embedding_model: config.model,
    embedding_dim: config.dimension,
    embedding_chunk_size: config.chunkSize,
    handle: config.handle,
    batch_size: config.batchSize,
    azure_endpoint: config.azureEndpoint,
    azure_version: config.azureVersion,
    azure_deployment: config.azureDeployment,
  };
}

export function fromEmbeddingConfig(wire: EmbeddingConfigInput): EmbeddingConfig {
  return {
    handle: wire.handle ?? null,
    model: wire.embedding_model,
    endpointKind: wire.embedding_endpoint_type,
    endpoint: wire.embedding_endpoint ?? null,
    dimension: wire.embedding_dim,
    chunkSize: wire.embedding_chunk_size ?? 300,
    batchSize: wire.batch_size ?? 32,
    azureEndpoint: wire.azure_endpoint ?? null,
    azureVersion: wire.azure_version ?? null,
    azureDeployment: wire.azure_deployment ?? null,
  };
}

/** The settings member of the kind's own name, else of the provider whose models it offers, else of its protocol. */
function memberOf(endpointKind: string): ProviderType {
  const { modelsOf, adapter } = findProviderRow(endpointKind) ?? {};
  return [endpointKind, modelsOf, adapter].find(isSettingsMember) ?? "openai";
}

/** A view of the stored config. It always claims parallel calls: clients have never seen anything else. */
export function toModelSettingsWire(config: ModelConfig): ModelSettingsWire {
  const provider = memberOf(config.endpointKind);
  const common = {
    max_output_tokens: config.maxOutputTokens ?? 4096,
    parallel_tool_calls: true,
    provider_type: provider,
    temperature: config.temperature,
  };
  const { enabled, effort, budgetTokens } = config.reasoning;
  switch (provider) {
    case "openai":
    case "sglang":
      return {
        ...common,
        reasoning: { reasoning_effort: effort ?? "minimal" },
        response_format: null,
        strict: config.strict,
      };
    case "anthropic":
      return {
        ...common,
        thinking: { type: enabled ? "enabled" : "disabled", budget_tokens: budgetTokens || 1024 },
        response_format: null,
        verbosity: config.verbosity,
        effort: config.effort,
        strict: config.strict,
      };
    case "google_ai":
    case "google_vertex":
      return {
        ...common,
        max_output_tokens: config.maxOutputTokens ?? 65_536,
        thinking_config: { include_thoughts: enabled, thinking_budget: budgetTokens || 1024 },
        response_schema: null,
      };
    case "zai":
      return {
        ...common,
        response_format: null,
        thinking: { type: enabled ? "enabled" : "disabled", clear_thinking: false },
      };
    case "chatgpt_oauth":
      return { ...common, reasoning: { reasoning_effort: effort ?? "medium" } };
    case "baseten":
      return common;
    default:
      return { ...common, response_format: null };
  }
}

/** Settings that were sent, with the defaults that sending any of them implies. */
export function fromModelSettings(wire: ModelSettingsWire): Partial<ModelConfig> {
  const isAnthropic = wire.provider_type === "anthropic";
  return omitUndefined({
    maxOutputTokens: wire.max_output_tokens,
    parallelToolCalls: wire.parallel_tool_calls ?? true,
    temperature: wire.temperature ?? (isAnthropic ? 1 : 0.7),
    responseFormat: wire.response_format ?? wire.response_schema ?? undefined,
    verbosity: wire.verbosity ?? undefined,
    effort: wire.effort ?? undefined,
    toolCallParser: wire.tool_call_parser ?? undefined,
    ...reasoningOf(wire),
  });
}

function reasoningOf(wire: ModelSettingsWire): Partial<ModelConfig> {
  const unset = { enabled: true, effort: null, budgetTokens: 0 };
  switch (wire.provider_type) {
    case "openai":
    case "sglang": {
      const effort = wire.reasoning ? (wire.reasoning.reasoning_effort ?? "minimal") : "high";
      return { strict: wire.strict ?? true, reasoning: { ...unset, effort } };
    }
    case "chatgpt_oauth":
      return { reasoning: { ...unset, effort: wire.reasoning?.reasoning_effort ?? "medium" } };
    case "anthropic": {
      const isOn = wire.thinking?.type !== "disabled";
      const budgetTokens = isOn ? (wire.thinking?.budget_tokens ?? 1024) : 0;
      return { strict: wire.strict ?? false, reasoning: { enabled: isOn, effort: null, budgetTokens } };
    }
    case "google_ai":
    case "google_vertex": {
      const { include_thoughts: enabled = true, thinking_budget: budgetTokens = 1024 } = wire.thinking_config ?? {};
      return { reasoning: { enabled, effort: null, budgetTokens } };
    }
    case "zai":
      return { reasoning: { ...unset, enabled: wire.thinking?.type !== "disabled" } };
    case "baseten":
      return { strict: true };
    default:
      return {};
  }
}

export function toCompactionWire(settings: CompactionSettings): CompactionSettingsWire {
  return {
    model: settings.model,
    model_settings: settings.modelSettings,
    prompt: settings.prompt,
    prompt_acknowledgement: settings.acknowledgement,
    clip_chars: settings.clipChars,
    mode: settings.mode,
    sliding_window_percentage: settings.slidingWindowPercentage,
    ...(settings.archiveEvicted ? { archive_evicted: true as const } : {}),
  };
}

export function fromCompaction(wire: CompactionSettingsInput): Partial<CompactionSettings> {
  return omitUndefined({
    model: wire.model,
    modelSettings: wire.model_settings as unknown as JsonObject | undefined,
    modelOverlay: wire.model_settings && fromModelSettings(wire.model_settings),
    prompt: wire.prompt,
    acknowledgement: wire.prompt_acknowledgement,
    clipChars: wire.clip_chars,
    mode: wire.mode,
    slidingWindowPercentage: wire.sliding_window_percentage,
    archiveEvicted: wire.archive_evicted,
  });
}
