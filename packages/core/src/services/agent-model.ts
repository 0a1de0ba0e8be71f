/** From what a request says about models to what is stored with the agent. */
import type { AgentKind } from "../agent-kinds.ts";
import type { CompactionMode, CompactionSettings } from "../compaction-settings.ts";
import { invalidInput, MemoirError } from "../errors.ts";
import { withoutUndefined } from "../given.ts";
import { compactionPrompts } from "../memory/prompts.ts";
import { findEmbedding, findModel, getModel } from "../model/catalogue.ts";
import { resolveReasoning } from "../model/reasoning.ts";
import type { EmbeddingConfig, ModelConfig } from "../model-config.ts";
import type { Defaults } from "../runtime.ts";

export interface ModelRequest {
  /** A handle such as `openai/gpt-4o-mini`. */
  readonly model?: string;
  /** A whole config of the caller's own; it wins over the handle. */
  readonly modelConfig?: ModelConfig;
  /** Laid over what the handle gives. */
  readonly modelSettings?: Partial<ModelConfig>;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number | null;
  readonly maxReasoningTokens?: number;
  readonly reasoning?: boolean;
  readonly parallelToolCalls?: boolean;
}

export const minContextWindow = 4096;

export function resolveModel(request: ModelRequest, kind: AgentKind, defaults: Defaults): ModelConfig {
  const given = request.modelConfig ?? modelFromHandle(request, defaults);
  const settings = request.modelSettings ?? {};
  const config: ModelConfig = {
    ...given,
    ...settings,
    contextWindow: resolveWindow(given, request, defaults),
    maxOutputTokens: request.maxOutputTokens ?? settings.maxOutputTokens ?? given.maxOutputTokens,
    parallelToolCalls: request.parallelToolCalls ?? settings.parallelToolCalls ?? given.parallelToolCalls,
    reasoning: {
      ...given.reasoning,
      ...settings.reasoning,
      ...(request.maxReasoningTokens === undefined ? {} : { budgetTokens: request.maxReasoningTokens }),
    },
  };
  // A whole config is taken as it is, unless reasoning is switched outright.
  const resolved =
    request.modelConfig && request.reasoning === undefined
      ? config
      : resolveReasoning(
          config,
          kind,
          request.reasoning ?? settings.reasoning?.enabled,
          request.parallelToolCalls ?? settings.parallelToolCalls,
        );
  refuseLargeBudget(resolved);
  return resolved;
}

function refuseLargeBudget({ reasoning, maxOutputTokens }: ModelConfig): void {
  const { budgetTokens } = reasoning;
  if (maxOutputTokens === null || budgetTokens === 0 || budgetTokens < maxOutputTokens) return;
  throw new MemoirError(
    "invalid-argument",
    `max_reasoning_tokens (${budgetTokens}) must be smaller than max_tokens (${maxOutputTokens})`,
    { details: { field: "max_reasoning_tokens" } },
  );
}

function modelFromHandle(request: ModelRequest, defaults: Defaults): ModelConfig {
  const handle = request.model ?? defaults.model;
  if (handle === undefined) {
    throw new MemoirError("invalid-argument", "Must specify either model or llm_config in request", {
      details: { field: "model" },
    });
  }
  return getModel(handle);
}

function resolveWindow(given: ModelConfig, { contextWindow, modelConfig }: ModelRequest, defaults: Defaults): number {
  if (contextWindow === undefined) {
    return modelConfig ? given.contextWindow : Math.min(given.contextWindow, defaults.contextWindowCap);
  }
  if (contextWindow < minContextWindow) {
    throw invalidInput(
      "context_window_limit",
      `context_window_limit is ${contextWindow}; the least is ${minContextWindow}`,
    );
  }
  const largest = (given.handle ? findModel(given.handle)?.contextWindow : undefined) ?? given.contextWindow;
  if (contextWindow > largest) {
    throw new MemoirError(
      "invalid-argument",
      `context_window_limit (${contextWindow}) is larger than the model's own window (${largest})`,
      { details: { field: "context_window_limit" } },
    );
  }
  return contextWindow;
}

export interface EmbeddingRequest {
  readonly embedding?: string;
  readonly embeddingConfig?: EmbeddingConfig;
  readonly embeddingChunkSize?: number;
}

export function resolveEmbedding(request: EmbeddingRequest, defaults: Defaults): EmbeddingConfig {
  if (request.embeddingConfig) return request.embeddingConfig;
  const handle = request.embedding ?? defaults.embedding;
  const config = findEmbedding(handle);
  if (!config) {
    throw new MemoirError("invalid-argument", `Embedding model ${handle} not found`, {
      details: { field: "embedding" },
    });
  }
  return { ...config, chunkSize: request.embeddingChunkSize ?? config.chunkSize };
}

/** The model that writes summaries: a small one of the same provider where there is a usual choice. */
const summaryModels: Readonly<Record<string, string>> = {
  anthropic: "anthropic/claude-haiku-4-5",
  openai: "openai/gpt-5-mini",
  google_ai: "google_ai/gemini-2.5-flash",
};

export function resolveCompaction(model: ModelConfig, given: Partial<CompactionSettings> = {}): CompactionSettings {
  const mode = given.mode ?? "sliding_window";
  return {
    model: given.model ?? summaryModels[model.provider ?? ""] ?? model.handle,
    modelSettings: given.modelSettings ?? null,
    prompt: given.prompt ?? compactionPrompts[mode],
    acknowledgement: given.acknowledgement ?? false,
    clipChars: given.clipChars === undefined ? 50_000 : given.clipChars,
    mode,
    slidingWindowPercentage: given.slidingWindowPercentage ?? 0.3,
  };
}

/** Merges set fields; another mode takes its own prompt unless one came along. */
export function mergeCompaction(stored: CompactionSettings, given: Partial<CompactionSettings>): CompactionSettings {
  const mode: CompactionMode = given.mode ?? stored.mode;
  const prompt = given.prompt ?? (mode === stored.mode ? stored.prompt : compactionPrompts[mode]);
  return { ...stored, ...withoutUndefined(given), mode, prompt };
}

/** Open files and the length of their views, by how much fits. */
export function fileLimits(contextWindow: number): { maxFilesOpen: number; fileViewChars: number } {
  if (contextWindow <= 8_000) return { maxFilesOpen: 3, fileViewChars: 5_000 };
  if (contextWindow <= 32_000) return { maxFilesOpen: 5, fileViewChars: 15_000 };
  if (contextWindow <= 128_000) return { maxFilesOpen: 10, fileViewChars: 25_000 };
  if (contextWindow <= 200_000) return { maxFilesOpen: 10, fileViewChars: 40_000 };
  return { maxFilesOpen: 15, fileViewChars: 40_000 };
}
