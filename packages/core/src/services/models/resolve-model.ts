/** From what a request says about models to what is stored with the agent. */
import { mergeCompaction } from "../../memory/merge-compaction.ts";
import { compactionPrompts } from "../../memory/prompts.ts";
import { builtinEmbeddingHandle, findEmbedding } from "../../model/catalogue.ts";
import { resolveReasoning } from "../../model/reasoning.ts";
import type { Defaults } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { AgentKind } from "../../shared/agent-kinds.ts";
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import { invalidInput, MemoirError } from "../../shared/errors.ts";
import type { EmbeddingConfig, ModelConfig } from "../../shared/model-config.ts";
import type { ModelDirectory } from "./model-directory.ts";
import type { ModelService } from "./models.ts";

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

/** What the handles of a request stand for. Providers may have to be asked, so it is found before a transaction begins. */
export interface FoundModels {
  readonly model?: ModelConfig;
  /** The most the model can take: null when nobody says, left out when it was not asked for. */
  readonly largestWindow?: number | null;
  readonly embedding?: EmbeddingConfig;
}

export interface ModelSources {
  readonly directory: ModelDirectory;
  readonly models: ModelService;
}

/** `current` is the config that stays when the request names no other model. */
export async function findModels(
  { directory, models }: ModelSources,
  actor: Actor,
  request: ModelRequest & EmbeddingRequest,
  current?: ModelConfig,
): Promise<FoundModels> {
  const isNamed = request.modelConfig === undefined && request.model !== undefined;
  const model = isNamed && request.model ? await directory.resolve(actor.orgId, request.model) : undefined;
  const handle = (request.modelConfig ?? model ?? current)?.handle;
  const wantsWindow = request.contextWindow !== undefined && typeof handle === "string";
  const largestWindow = wantsWindow ? ((await directory.findWindow(actor.orgId, handle)) ?? null) : undefined;
  const embedding =
    request.embeddingConfig === undefined && request.embedding !== undefined
      ? await models.resolveEmbedding(actor, request.embedding)
      : undefined;
  return {
    ...(model === undefined ? {} : { model }),
    ...(largestWindow === undefined ? {} : { largestWindow }),
    ...(embedding === undefined ? {} : { embedding }),
  };
}

/** The same with the handles that stand in for what a request for a new agent leaves open. */
export function withDefaultHandles<R extends ModelRequest & EmbeddingRequest>(request: R, defaults: Defaults): R {
  const model = request.model ?? defaults.model;
  const embedding = request.embedding ?? defaults.embedding;
  return {
    ...request,
    ...(model === undefined ? {} : { model }),
    ...(embedding === undefined ? {} : { embedding }),
  };
}

export function resolveModel(
  request: ModelRequest,
  kind: AgentKind,
  defaults: Defaults,
  found: FoundModels = {},
): ModelConfig {
  const input = request.modelConfig ?? getFound(found);
  const settings = request.modelSettings ?? {};
  const config: ModelConfig = {
    ...input,
    ...settings,
    contextWindow: resolveWindow(input, request, defaults, found),
    maxOutputTokens: request.maxOutputTokens ?? settings.maxOutputTokens ?? input.maxOutputTokens,
    parallelToolCalls: request.parallelToolCalls ?? settings.parallelToolCalls ?? input.parallelToolCalls,
    reasoning: {
      ...input.reasoning,
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
  rejectLargeBudget(resolved);
  return resolved;
}

function rejectLargeBudget({ reasoning, maxOutputTokens }: ModelConfig): void {
  const { budgetTokens } = reasoning;
  if (maxOutputTokens === null || budgetTokens === 0 || budgetTokens < maxOutputTokens) return;
  throw new MemoirError(
    "invalid-argument",
    `max_reasoning_tokens (${budgetTokens}) must be smaller than max_tokens (${maxOutputTokens})`,
    { details: { field: "max_reasoning_tokens" } },
  );
}

function getFound({ model }: FoundModels): ModelConfig {
  if (model) return model;
  throw new MemoirError("invalid-argument", "Must specify either model or llm_config in request", {
    details: { field: "model" },
  });
}

function resolveWindow(
  input: ModelConfig,
  { contextWindow, modelConfig }: ModelRequest,
  defaults: Defaults,
  { largestWindow = input.contextWindow }: FoundModels,
): number {
  if (contextWindow === undefined) {
    return modelConfig ? input.contextWindow : Math.min(input.contextWindow, defaults.contextWindowCap);
  }
  if (contextWindow < minContextWindow) {
    throw invalidInput(
      "context_window_limit",
      `context_window_limit is ${contextWindow}; the least is ${minContextWindow}`,
    );
  }
  if (largestWindow !== null && contextWindow > largestWindow) {
    throw new MemoirError(
      "invalid-argument",
      `context_window_limit (${contextWindow}) is larger than the model's own window (${largestWindow})`,
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

/** Null where none is named: what is filed is then found by its words. */
export function resolveEmbedding(request: EmbeddingRequest, { embedding }: FoundModels = {}): EmbeddingConfig | null {
  if (request.embeddingConfig) return request.embeddingConfig;
  return embedding ? { ...embedding, chunkSize: request.embeddingChunkSize ?? embedding.chunkSize } : null;
}

/** The built-in one, for folders that name none. */
export function builtinEmbedding(): EmbeddingConfig {
  const config = findEmbedding(builtinEmbeddingHandle);
  if (!config) throw new Error("the model catalogue has no built-in embedding");
  return config;
}

/** The model that writes summaries: a small one of the same provider where there is a usual choice. */
const summaryModels: ReadonlyMap<string | null, string> = new Map([
  ["anthropic", "anthropic/claude-haiku-4-5"],
  ["openai", "openai/gpt-5-mini"],
  ["google_ai", "google_ai/gemini-2.5-flash"],
]);

const defaultSummaryModel = (model: ModelConfig): string | null => summaryModels.get(model.provider) ?? model.handle;

export function resolveCompaction(model: ModelConfig, input: Partial<CompactionSettings> = {}): CompactionSettings {
  const mode = input.mode ?? "sliding_window";
  return {
    model: input.model ?? defaultSummaryModel(model),
    modelSettings: input.modelSettings ?? null,
    modelOverlay: input.modelOverlay ?? null,
    prompt: input.prompt ?? compactionPrompts[mode],
    acknowledgement: input.acknowledgement ?? false,
    clipChars: input.clipChars === undefined ? 50_000 : input.clipChars,
    mode,
    slidingWindowPercentage: input.slidingWindowPercentage ?? 0.3,
    archiveEvicted: input.archiveEvicted ?? false,
  };
}

/** With a model of another provider, summaries are no longer written by the former one's usual choice. */
export function updateCompaction(
  stored: CompactionSettings,
  input: Partial<CompactionSettings>,
  before: ModelConfig,
  after: ModelConfig,
): CompactionSettings {
  const isUsual = stored.model === defaultSummaryModel(before);
  const isStale = isUsual && defaultSummaryModel(after) !== stored.model;
  const kept = isStale
    ? { ...stored, model: defaultSummaryModel(after), modelSettings: null, modelOverlay: null }
    : stored;
  return mergeCompaction(kept, input);
}

/** Open files and the length of their views, by how much fits. */
export function fileLimits(contextWindow: number): { maxFilesOpen: number; fileViewChars: number } {
  if (contextWindow <= 8_000) return { maxFilesOpen: 3, fileViewChars: 5_000 };
  if (contextWindow <= 32_000) return { maxFilesOpen: 5, fileViewChars: 15_000 };
  if (contextWindow <= 128_000) return { maxFilesOpen: 10, fileViewChars: 25_000 };
  if (contextWindow <= 200_000) return { maxFilesOpen: 10, fileViewChars: 40_000 };
  return { maxFilesOpen: 15, fileViewChars: 40_000 };
}
