/**
 * The tables behind the model catalogue: facts about well-known models that hold without asking a provider. Windows and
 * output limits of OpenAI and Anthropic models are the figures clients of the old server were shown, not the vendors'
 * maxima. Adding a model is one row.
 */

export interface CatalogueModel {
  readonly handle: string;
  readonly provider: string;
  /** The name sent to the provider; handles of dated models are sometimes shorter. */
  readonly model: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number | null;
  /** Other names the provider takes for this model, dated or undated: they resolve but are not listed. */
  readonly otherNames: readonly string[];
}

interface RowExtras {
  /** The handle without its provider, where it differs from the model's name. */
  readonly shortName?: string;
  readonly otherNames?: readonly string[];
}

function row(
  provider: string,
  model: string,
  contextWindow: number,
  maxOutputTokens: number,
  { shortName = model, otherNames = [] }: RowExtras = {},
): CatalogueModel {
  return { handle: `${provider}/${shortName}`, provider, model, contextWindow, maxOutputTokens, otherNames };
}

/** What the old server allows any model it knows nothing about. */
const plainOutput = 4_096;
/** For models that think at length before they answer: their thoughts count against the output limit. */
const thinkingOutput = 16_384;

export const modelRows: readonly CatalogueModel[] = [
  row("openai", "gpt-4", 8_192, 16_384, { otherNames: ["gpt-4-0613"] }),
  row("openai", "gpt-4-turbo", 128_000, 16_384, { otherNames: ["gpt-4-turbo-2024-04-09"] }),
  row("openai", "gpt-4.1", 1_047_576, 16_384, { otherNames: ["gpt-4.1-2025-04-14"] }),
  row("openai", "gpt-4.1-mini", 1_047_576, 16_384, { otherNames: ["gpt-4.1-mini-2025-04-14"] }),
  row("openai", "gpt-4.1-nano", 1_047_576, 16_384, { otherNames: ["gpt-4.1-nano-2025-04-14"] }),
  row("openai", "gpt-4o", 128_000, 16_384, {
    otherNames: ["gpt-4o-2024-05-13", "gpt-4o-2024-08-06", "gpt-4o-2024-11-20"],
  }),
  row("openai", "gpt-4o-mini", 128_000, 16_384, { otherNames: ["gpt-4o-mini-2024-07-18"] }),
  row("openai", "gpt-5", 272_000, 16_384, { otherNames: ["gpt-5-2025-08-07"] }),
  row("openai", "gpt-5-codex", 272_000, 16_384),
  row("openai", "gpt-5-mini", 272_000, 16_384, { otherNames: ["gpt-5-mini-2025-08-07"] }),
  row("openai", "gpt-5-nano", 272_000, 16_384, { otherNames: ["gpt-5-nano-2025-08-07"] }),
  row("openai", "gpt-5.1", 272_000, 16_384, { otherNames: ["gpt-5.1-2025-11-13"] }),
  row("openai", "gpt-5.1-codex", 272_000, 16_384),
  row("openai", "gpt-5.2", 272_000, 128_000, { otherNames: ["gpt-5.2-2025-12-11"] }),
  row("openai", "gpt-5.2-codex", 272_000, 128_000),
  row("openai", "gpt-5.4", 1_050_000, 128_000),
  row("openai", "gpt-5.4-fast", 1_050_000, 128_000),
  row("openai", "o1", 200_000, 16_384, { otherNames: ["o1-2024-12-17"] }),
  row("openai", "o3", 200_000, 16_384, { otherNames: ["o3-2025-04-16"] }),
  row("openai", "o3-mini", 200_000, 16_384, { otherNames: ["o3-mini-2025-01-31"] }),
  row("openai", "o4-mini", 200_000, 16_384, { otherNames: ["o4-mini-2025-04-16"] }),

  row("anthropic", "claude-3-5-haiku-20241022", 200_000, 8_192, {
    shortName: "claude-3-5-haiku",
    otherNames: ["claude-3-5-haiku-20241022", "claude-3-5-haiku-latest"],
  }),
  row("anthropic", "claude-3-5-sonnet-20241022", 200_000, 8_192, { otherNames: ["claude-3-5-sonnet-latest"] }),
  row("anthropic", "claude-3-7-sonnet-20250219", 200_000, 16_384, { otherNames: ["claude-3-7-sonnet-latest"] }),
  row("anthropic", "claude-haiku-4-5-20251001", 200_000, 8_192, {
    shortName: "claude-haiku-4-5",
    otherNames: ["claude-haiku-4-5-20251001"],
  }),
  row("anthropic", "claude-opus-4-20250514", 200_000, 16_384, { otherNames: ["claude-opus-4-0"] }),
  row("anthropic", "claude-opus-4-1-20250805", 200_000, 16_384, { otherNames: ["claude-opus-4-1"] }),
  row("anthropic", "claude-opus-4-5-20251101", 200_000, 16_384, { otherNames: ["claude-opus-4-5"] }),
  row("anthropic", "claude-opus-4-6", 200_000, 21_000),
  row("anthropic", "claude-sonnet-4-20250514", 200_000, 16_384, { otherNames: ["claude-sonnet-4-0"] }),
  row("anthropic", "claude-sonnet-4-5-20250929", 200_000, 16_384, { otherNames: ["claude-sonnet-4-5"] }),
  row("anthropic", "claude-sonnet-4-6", 200_000, 21_000),

  row("google_ai", "gemini-2.5-flash", 1_048_576, 65_536),
  row("google_ai", "gemini-2.5-flash-lite", 1_048_576, 65_536),
  row("google_ai", "gemini-2.5-pro", 1_048_576, 65_536),
  row("google_ai", "gemini-3-flash-preview", 1_048_576, 65_536),
  row("google_ai", "gemini-3-pro-preview", 1_048_576, 65_536),

  row("google_vertex", "gemini-2.5-flash", 1_048_576, 65_536),
  row("google_vertex", "gemini-2.5-flash-lite", 1_048_576, 65_536),
  row("google_vertex", "gemini-2.5-pro", 1_048_576, 65_536),

  row("groq", "llama-3.1-8b-instant", 131_072, plainOutput),
  row("groq", "llama-3.3-70b-versatile", 131_072, plainOutput),
  row("groq", "openai/gpt-oss-120b", 131_072, thinkingOutput),
  row("groq", "openai/gpt-oss-20b", 131_072, thinkingOutput),
  row("groq", "qwen/qwen3-32b", 131_072, thinkingOutput),

  row("together", "Qwen/Qwen3-235B-A22B-Instruct-2507-tput", 262_144, plainOutput),
  row("together", "deepseek-ai/DeepSeek-V3.1", 128_000, plainOutput),
  row("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo", 131_072, plainOutput),
  row("together", "openai/gpt-oss-120b", 128_000, thinkingOutput),

  row("deepseek", "deepseek-chat", 128_000, plainOutput),
  row("deepseek", "deepseek-reasoner", 128_000, thinkingOutput),

  row("xai", "grok-3", 131_072, plainOutput),
  row("xai", "grok-3-fast", 131_072, plainOutput),
  row("xai", "grok-3-mini", 131_072, thinkingOutput),
  row("xai", "grok-3-mini-fast", 131_072, thinkingOutput),
  row("xai", "grok-4-0709", 256_000, thinkingOutput, { otherNames: ["grok-4"] }),
  row("xai", "grok-4-fast-non-reasoning", 2_000_000, plainOutput),
  row("xai", "grok-4-fast-reasoning", 2_000_000, thinkingOutput, { otherNames: ["grok-4-fast"] }),
  row("xai", "grok-code-fast-1", 256_000, thinkingOutput),

  row("zai", "glm-4.5", 128_000, thinkingOutput),
  row("zai", "glm-4.6", 180_000, thinkingOutput),
  row("zai", "glm-4.7", 180_000, thinkingOutput),
  row("zai", "glm-5", 180_000, thinkingOutput),

  row("zai_coding", "glm-4.5", 128_000, thinkingOutput),
  row("zai_coding", "glm-4.6", 180_000, thinkingOutput),
  row("zai_coding", "glm-4.7", 180_000, thinkingOutput),
  row("zai_coding", "glm-5", 180_000, thinkingOutput),

  row("openrouter", "anthropic/claude-sonnet-4.5", 200_000, thinkingOutput),
  row("openrouter", "deepseek/deepseek-chat-v3.1", 128_000, plainOutput),
  row("openrouter", "google/gemini-2.5-flash", 1_048_576, thinkingOutput),
  row("openrouter", "meta-llama/llama-3.3-70b-instruct", 128_000, plainOutput),
  row("openrouter", "openai/gpt-4o-mini", 128_000, thinkingOutput),
  row("openrouter", "openai/gpt-5-mini", 400_000, thinkingOutput),
  row("openrouter", "z-ai/glm-4.6", 180_000, thinkingOutput),

  row("minimax", "MiniMax-M2", 200_000, 128_000),
  row("minimax", "MiniMax-M2.1", 200_000, 128_000),
  row("minimax", "MiniMax-M2.1-lightning", 200_000, 128_000),
  row("minimax", "MiniMax-M2.5", 200_000, 128_000),
  row("minimax", "MiniMax-M2.7", 200_000, 128_000),

  row("mistral", "codestral-latest", 131_072, plainOutput),
  row("mistral", "mistral-large-latest", 131_072, plainOutput),
  row("mistral", "mistral-medium-latest", 131_072, plainOutput),
  row("mistral", "mistral-small-latest", 131_072, plainOutput),

  row("memoir", "demo", 32_000, plainOutput),
];

export interface CatalogueEmbedding {
  readonly handle: string;
  readonly provider: string;
  readonly model: string;
  readonly dimension: number;
}

function embedding(provider: string, model: string, dimension: number): CatalogueEmbedding {
  return { handle: `${provider}/${model}`, provider, model, dimension };
}

export const embeddingRows: readonly CatalogueEmbedding[] = [
  embedding("openai", "text-embedding-3-large", 3_072),
  embedding("openai", "text-embedding-3-small", 1_536),
  embedding("openai", "text-embedding-ada-002", 1_536),
  embedding("google_ai", "gemini-embedding-001", 768),
  embedding("google_ai", "text-embedding-004", 768),
  embedding("google_vertex", "text-embedding-005", 768),
  embedding("google_vertex", "text-multilingual-embedding-002", 768),
  /** Hashed words, word pairs and character n-grams: it finds similar spelling, not similar meaning. */
  embedding("memoir", "lexical-512", 512),
];
