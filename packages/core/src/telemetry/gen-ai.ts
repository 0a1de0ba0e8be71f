/** Attribute and provider names from the OpenTelemetry semantic conventions for generative AI. */
import type { Attributes } from "@opentelemetry/api";
import type { Usage } from "../shared/content.ts";
import type { ModelConfig } from "../shared/model-config.ts";
import { currentProviderName, findProviderRow } from "../shared/provider-rows.ts";

export interface ModelOutcome {
  /** Absent if the call failed. */
  readonly reply?: { readonly finishReason: string; readonly usage: Usage } | undefined;
  /** Number of requests, retries included. */
  readonly tries: number;
  readonly error?: unknown;
  /** The caller aborted the call. */
  readonly isCancelled: boolean;
}

/** Custom providers are reported by their protocol, because their names are user data. */
export function describeModel({ provider, category, endpointKind, model }: ModelConfig): Attributes {
  const name = currentProviderName(category === "byok" ? endpointKind : (provider ?? endpointKind));
  return { "gen_ai.provider.name": findProviderRow(name)?.telemetryName ?? name, "gen_ai.request.model": model };
}

export function describeSettings({ temperature, maxOutputTokens }: ModelConfig): Attributes {
  return {
    "gen_ai.request.temperature": temperature,
    ...(maxOutputTokens === null ? {} : { "gen_ai.request.max_tokens": maxOutputTokens }),
  };
}

/** Finish reasons whose name differs in the conventions. */
const finishReasons: Readonly<Record<string, string>> = {
  "tool-calls": "tool_call",
  "content-filter": "content_filter",
};

export function describeOutcome({ reply, tries }: ModelOutcome): Attributes {
  return {
    ...(tries > 1 ? { "memoir.model.tries": tries } : {}),
    ...(reply
      ? {
          "gen_ai.response.finish_reasons": [finishReasons[reply.finishReason] ?? reply.finishReason],
          ...describeUsage(reply.usage),
        }
      : {}),
  };
}

function describeUsage({
  isReported,
  promptTokens,
  completionTokens,
  cachedTokens,
  cacheWriteTokens,
}: Usage): Attributes {
  if (isReported === false) return {};
  return {
    "gen_ai.usage.input_tokens": promptTokens,
    "gen_ai.usage.output_tokens": completionTokens,
    ...(cachedTokens === null ? {} : { "gen_ai.usage.cache_read.input_tokens": cachedTokens }),
    ...(cacheWriteTokens === null ? {} : { "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens }),
  };
}
