/** Model and embedding configurations on the wire: the flat old form and the newer settings by provider. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireInteger, wireLine, wireName, wireText } from "../shared/fields.ts";

/** The old server's names, a superset of what records give: a test compares them. */
export const endpointKinds = [
  "openai",
  "anthropic",
  "google_ai",
  "google_vertex",
  "azure",
  "groq",
  "ollama",
  "webui",
  "webui-legacy",
  "lmstudio",
  "lmstudio-legacy",
  "lmstudio-chatcompletions",
  "llamacpp",
  "koboldcpp",
  "vllm",
  "hugging-face",
  "minimax",
  "mistral",
  "together",
  "bedrock",
  "deepseek",
  "xai",
  "zai",
  "zai_coding",
  "baseten",
  "fireworks",
  "openrouter",
  "chatgpt_oauth",
] as const;

export const embeddingKinds = [
  "openai",
  "anthropic",
  "bedrock",
  "google_ai",
  "google_vertex",
  "azure",
  "groq",
  "ollama",
  "webui",
  "webui-legacy",
  "lmstudio",
  "lmstudio-legacy",
  "llamacpp",
  "koboldcpp",
  "vllm",
  "hugging-face",
  "mistral",
  "together",
  "pinecone",
] as const;

const ReasoningEffortWire = z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]);
const EffortWire = z.enum(["low", "medium", "high", "max"]);
const VerbosityWire = z.enum(["low", "medium", "high"]);

export type ResponseFormatWire =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; json_schema: JsonObject };

export const ResponseFormatWire: z.ZodType<ResponseFormatWire> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({ type: z.literal("json_schema"), json_schema: WireObject }),
]);

export interface LlmConfigWire {
  model: string;
  display_name: string | null;
  model_endpoint_type: string;
  model_endpoint: string | null;
  provider_name: string | null;
  provider_category: "base" | "byok" | null;
  model_wrapper: string | null;
  context_window: number;
  put_inner_thoughts_in_kwargs: boolean | null;
  handle: string | null;
  temperature: number;
  max_tokens: number | null;
  enable_reasoner: boolean;
  reasoning_effort: z.infer<typeof ReasoningEffortWire> | null;
  max_reasoning_tokens: number;
  effort: z.infer<typeof EffortWire> | null;
  frequency_penalty: number | null;
  compatibility_type: "gguf" | "mlx" | null;
  verbosity: z.infer<typeof VerbosityWire> | null;
  tier: string | null;
  parallel_tool_calls: boolean | null;
  response_format: ResponseFormatWire | null;
  strict: boolean;
  return_logprobs: boolean;
  top_logprobs: number | null;
  return_token_ids: boolean;
  tool_call_parser: string | null;
}

export const llmConfigShape = {
  model: wireName,
  display_name: wireName.nullable(),
  model_endpoint_type: z.enum(endpointKinds),
  model_endpoint: wireLine.nullable(),
  provider_name: wireName.nullable(),
  provider_category: z.enum(["base", "byok"]).nullable(),
  model_wrapper: wireName.nullable(),
  context_window: wireInteger,
  put_inner_thoughts_in_kwargs: z.boolean().nullable(),
  handle: wireName.nullable(),
  temperature: z.number(),
  max_tokens: wireInteger.min(1).nullable(),
  enable_reasoner: z.boolean(),
  reasoning_effort: ReasoningEffortWire.nullable(),
  max_reasoning_tokens: wireInteger,
  effort: EffortWire.nullable(),
  frequency_penalty: z.number().nullable(),
  compatibility_type: z.enum(["gguf", "mlx"]).nullable(),
  verbosity: VerbosityWire.nullable(),
  tier: wireName.nullable(),
  parallel_tool_calls: z.boolean().nullable(),
  response_format: ResponseFormatWire.nullable(),
  strict: z.boolean(),
  return_logprobs: z.boolean(),
  top_logprobs: wireInteger.nullable(),
  return_token_ids: z.boolean(),
  tool_call_parser: wireName.nullable(),
};

export const LlmConfigWire: z.ZodType<LlmConfigWire> = z.strictObject(llmConfigShape).meta({ id: "LLMConfig" });

/** As sent: three fields are required, the rest may be left out. */
export type LlmConfigInput = Partial<LlmConfigWire> &
  Pick<LlmConfigWire, "model" | "model_endpoint_type" | "context_window">;

export const LlmConfigInput: z.ZodType<LlmConfigInput> = z
  .object(llmConfigShape)
  .partial()
  .required({ model: true, model_endpoint_type: true, context_window: true })
  .meta({ id: "LLMConfigInput" });

export interface EmbeddingConfigWire {
  embedding_endpoint_type: string;
  embedding_endpoint: string | null;
  embedding_model: string;
  embedding_dim: number;
  embedding_chunk_size: number | null;
  handle: string | null;
  batch_size: number;
  azure_endpoint: string | null;
  azure_version: string | null;
  azure_deployment: string | null;
}

export const embeddingConfigShape = {
  embedding_endpoint_type: z.enum(embeddingKinds),
  embedding_endpoint: wireLine.nullable(),
  embedding_model: wireName,
  embedding_dim: wireInteger.min(1),
  embedding_chunk_size: wireInteger.nullable(),
  handle: wireName.nullable(),
  batch_size: wireInteger,
  azure_endpoint: wireLine.nullable(),
  azure_version: wireLine.nullable(),
  azure_deployment: wireName.nullable(),
};

export const EmbeddingConfigWire: z.ZodType<EmbeddingConfigWire> = z
  .strictObject(embeddingConfigShape)
  .meta({ id: "EmbeddingConfig" });

export type EmbeddingConfigInput = Partial<EmbeddingConfigWire> &
  Pick<EmbeddingConfigWire, "embedding_endpoint_type" | "embedding_model" | "embedding_dim">;

export const EmbeddingConfigInput: z.ZodType<EmbeddingConfigInput> = z
  .object(embeddingConfigShape)
  .partial()
  .required({ embedding_endpoint_type: true, embedding_model: true, embedding_dim: true })
  .meta({ id: "EmbeddingConfigInput" });

/** Settings by provider. Every member has the first four; which others it has is its own matter. */
export interface ModelSettingsWire {
  provider_type: ProviderType;
  max_output_tokens?: number;
  parallel_tool_calls?: boolean;
  temperature?: number;
  reasoning?: { reasoning_effort?: z.infer<typeof ReasoningEffortWire> };
  thinking?: { type?: "enabled" | "disabled"; budget_tokens?: number; clear_thinking?: boolean };
  thinking_config?: { include_thoughts?: boolean; thinking_budget?: number };
  response_format?: ResponseFormatWire | null;
  response_schema?: ResponseFormatWire | null;
  verbosity?: z.infer<typeof VerbosityWire> | null;
  effort?: z.infer<typeof EffortWire> | null;
  strict?: boolean;
  tool_call_parser?: string | null;
}

const common = { max_output_tokens: wireInteger.min(1), parallel_tool_calls: z.boolean(), temperature: z.number() };
const formatted = { ...common, response_format: ResponseFormatWire.nullable() };
const openAi = {
  ...formatted,
  reasoning: z.object({ reasoning_effort: ReasoningEffortWire.optional() }),
  strict: z.boolean(),
};
const gemini = {
  ...common,
  thinking_config: z.object({ include_thoughts: z.boolean().optional(), thinking_budget: wireInteger.optional() }),
  response_schema: ResponseFormatWire.nullable(),
};

const switchShape = { type: z.enum(["enabled", "disabled"]).optional() };

const members = {
  openai: openAi,
  sglang: { ...openAi, tool_call_parser: wireName.nullable() },
  anthropic: {
    ...formatted,
    thinking: z.object({ ...switchShape, budget_tokens: wireInteger.optional() }),
    verbosity: VerbosityWire.nullable(),
    effort: EffortWire.nullable(),
    strict: z.boolean(),
  },
  google_ai: gemini,
  google_vertex: gemini,
  azure: formatted,
  xai: formatted,
  zai: { ...formatted, thinking: z.object({ ...switchShape, clear_thinking: z.boolean().optional() }) },
  groq: formatted,
  deepseek: formatted,
  together: formatted,
  bedrock: formatted,
  baseten: common,
  openrouter: formatted,
  chatgpt_oauth: { ...common, reasoning: z.object({ reasoning_effort: ReasoningEffortWire.optional() }) },
};

export type ProviderType = keyof typeof members;

export function isSettingsMember(name: string | undefined): name is ProviderType {
  return name !== undefined && Object.hasOwn(members, name);
}

type Shape = Record<string, z.ZodType>;

function unionOf(member: (shape: Shape, provider: ProviderType) => z.ZodObject): z.ZodType<ModelSettingsWire> {
  const objects = (Object.keys(members) as ProviderType[]).map((provider) => member(members[provider], provider));
  return z.discriminatedUnion("provider_type", objects as never) as unknown as z.ZodType<ModelSettingsWire>;
}

export const ModelSettingsWire: z.ZodType<ModelSettingsWire> = unionOf((shape, provider) =>
  z.strictObject({ ...shape, provider_type: z.literal(provider) }),
).meta({ id: "ModelSettings" });

export const ModelSettingsInput: z.ZodType<ModelSettingsWire> = unionOf((shape, provider) =>
  z
    .object(shape)
    .partial()
    .extend({ provider_type: z.literal(provider) }),
).meta({ id: "ModelSettingsInput" });

export interface CompactionSettingsInput {
  model?: string;
  model_settings?: ModelSettingsWire;
  prompt?: string;
  prompt_acknowledgement?: boolean;
  clip_chars?: number | null;
  mode?: "all" | "sliding_window" | "self_compact_all" | "self_compact_sliding_window";
  sliding_window_percentage?: number;
  /** Our own: what leaves the context is filed in the agent's archive. */
  archive_evicted?: boolean;
}

const CompactionModeWire = z.enum(["all", "sliding_window", "self_compact_all", "self_compact_sliding_window"]);

export const CompactionSettingsInput: z.ZodType<CompactionSettingsInput> = z
  .object({
    model: optional(wireName),
    model_settings: optional(ModelSettingsInput),
    prompt: optional(wireText),
    prompt_acknowledgement: optional(z.boolean()),
    clip_chars: wireInteger.min(1).nullish(),
    mode: optional(CompactionModeWire),
    sliding_window_percentage: optional(z.number().min(0).max(1)),
    archive_evicted: optional(z.boolean()),
  })
  .meta({ id: "CompactionSettingsInput" });

export interface CompactionSettingsWire {
  model: string | null;
  model_settings: JsonObject | null;
  prompt: string | null;
  prompt_acknowledgement: boolean;
  clip_chars: number | null;
  mode: "all" | "sliding_window" | "self_compact_all" | "self_compact_sliding_window";
  sliding_window_percentage: number;
  /** Only where it is. */
  archive_evicted?: true;
}

export const CompactionSettingsWire: z.ZodType<CompactionSettingsWire> = z
  .strictObject({
    model: z.string().nullable(),
    model_settings: WireObject.nullable(),
    prompt: z.string().nullable(),
    prompt_acknowledgement: z.boolean(),
    clip_chars: z.int().nullable(),
    mode: CompactionModeWire,
    sliding_window_percentage: z.number(),
    archive_evicted: z.literal(true).optional(),
  })
  .meta({ id: "CompactionSettings" });
