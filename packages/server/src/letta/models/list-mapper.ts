/** Listed models, from core to wire. */
import type { AvailableEmbedding, AvailableModel, ModelFilter } from "@memoir/core";
import { fromProviderType, toProviderType } from "../providers/mapper.ts";
import type { EmbeddingModelWire, ModelListQuery, ModelWire } from "./list-schema.ts";
import { toEmbeddingConfigWire, toLlmConfigWire } from "./mapper.ts";

export function toModelWire({ config, providerType }: AvailableModel): ModelWire {
  const wire = toLlmConfigWire(config);
  return {
    handle: wire.handle,
    name: config.model,
    display_name: config.displayName ?? config.model,
    provider_type: toProviderType(providerType),
    provider_name: wire.provider_name,
    model_type: "llm",
    model: wire.model,
    model_endpoint_type: wire.model_endpoint_type,
    model_endpoint: wire.model_endpoint,
    provider_category: wire.provider_category,
    model_wrapper: wire.model_wrapper,
    context_window: wire.context_window,
    put_inner_thoughts_in_kwargs: wire.put_inner_thoughts_in_kwargs,
    temperature: wire.temperature,
    max_tokens: wire.max_tokens,
    enable_reasoner: wire.enable_reasoner,
    reasoning_effort: wire.reasoning_effort,
    max_reasoning_tokens: wire.max_reasoning_tokens,
    effort: wire.effort,
    frequency_penalty: wire.frequency_penalty,
    compatibility_type: wire.compatibility_type,
    verbosity: wire.verbosity,
    tier: wire.tier,
    parallel_tool_calls: wire.parallel_tool_calls,
    response_format: wire.response_format,
    strict: wire.strict,
    return_logprobs: wire.return_logprobs,
    top_logprobs: wire.top_logprobs,
    return_token_ids: wire.return_token_ids,
    tool_call_parser: wire.tool_call_parser,
    max_context_window: config.contextWindow,
  };
}

export function toEmbeddingModelWire({ config, provider, providerType }: AvailableEmbedding): EmbeddingModelWire {
  const wire = toEmbeddingConfigWire(config);
  return {
    handle: wire.handle,
    name: config.model,
    display_name: config.model,
    provider_type: toProviderType(providerType),
    provider_name: provider,
    model_type: "embedding",
    embedding_endpoint_type: wire.embedding_endpoint_type,
    embedding_endpoint: wire.embedding_endpoint,
    embedding_model: wire.embedding_model,
    embedding_dim: wire.embedding_dim,
    embedding_chunk_size: wire.embedding_chunk_size,
    batch_size: wire.batch_size,
    azure_endpoint: wire.azure_endpoint,
    azure_version: wire.azure_version,
    azure_deployment: wire.azure_deployment,
  };
}

export function fromModelFilter(query: ModelListQuery): ModelFilter {
  return {
    ...(query.provider_category === undefined ? {} : { categories: query.provider_category }),
    ...(query.provider_name === undefined ? {} : { provider: query.provider_name }),
    ...(query.provider_type === undefined ? {} : { providerType: fromProviderType(query.provider_type) }),
  };
}
