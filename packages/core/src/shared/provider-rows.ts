/**
 * Every model provider, one record each: protocol, address, variables, listing and departures from its protocol. The
 * order is that of model lists.
 */
import type { ChatQuirks, ProviderRow } from "./provider-row.ts";

function hosted(
  type: string,
  title: string,
  baseUrl: string | null,
  keyVariable: string,
  rest: Partial<ProviderRow> = {},
): ProviderRow {
  const keyVariables = rest.keyVariables ?? [keyVariable];
  return {
    type,
    title,
    adapter: "compatible",
    baseUrl,
    keyVariables,
    baseUrlVariables: [],
    detectedBy: keyVariables.map((name) => [name]),
    listing: "plain",
    endpointKind: type,
    embeddingKind: "openai",
    telemetryName: type,
    ...rest,
  };
}

/** Clients of the old server were shown local servers as endpoints of the kind openai. */
function local(
  type: string,
  title: string,
  baseUrlVariable: string,
  baseUrl: string | null,
  { quirks, ...rest }: Partial<ProviderRow> = {},
): ProviderRow {
  return {
    type,
    title,
    adapter: "compatible",
    baseUrl,
    keyVariables: [],
    baseUrlVariables: [baseUrlVariable],
    detectedBy: [],
    probePath: "/v1/models",
    listing: "plain",
    endpointKind: "openai",
    embeddingKind: "openai",
    telemetryName: type,
    quirks: { isLocal: true, thinking: "effort", ...quirks },
    ...rest,
  };
}

const newLimit: ChatQuirks = { limitField: "max_completion_tokens" };
/** Mistral refuses any other id. */
const shortId = { form: /^[a-zA-Z0-9]{9}$/, length: 9 };

export const providerRows: readonly ProviderRow[] = [
  hosted("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", {
    adapter: "openai",
    baseUrlVariables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    formerName: "openai-proxy",
    // Compatible servers behind another address often need no key.
    detectedBy: [["OPENAI_API_KEY"], ["OPENAI_BASE_URL"], ["OPENAI_API_BASE"]],
    isSuggested: true,
    suggestedModel: "gpt-4o-mini",
    listing: "openai",
  }),
  hosted("anthropic", "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", {
    adapter: "anthropic",
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
    isSuggested: true,
    suggestedModel: "claude-haiku-4-5",
    listing: "anthropic",
  }),
  local("ollama", "Ollama", "OLLAMA_BASE_URL", "http://127.0.0.1:11434/v1", {
    probePath: "/api/tags",
    listing: "ollama",
    embeddingKind: "ollama",
  }),
  hosted("google_ai", "Google AI", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", {
    adapter: "google",
    baseUrlVariables: ["GEMINI_BASE_URL"],
    isSuggested: true,
    suggestedModel: "gemini-2.5-flash",
    listing: "google",
    embeddingKind: "google_ai",
    telemetryName: "gcp.gemini",
    tries: 5,
  }),
  hosted("google_vertex", "Google Vertex", null, "GOOGLE_APPLICATION_CREDENTIALS", {
    adapter: "vertex",
    isKeyFile: true,
    // The machine's own account serves where no key file is named.
    detectedBy: [["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"]],
    suggestedModel: "gemini-2.5-flash",
    listing: "catalogue",
    modelsOf: "google_ai",
    embeddingKind: "google_vertex",
    telemetryName: "gcp.vertex_ai",
    tries: 5,
  }),
  hosted("azure", "Azure", null, "AZURE_API_KEY", {
    adapter: "azure",
    baseUrlVariables: ["AZURE_BASE_URL"],
    detectedBy: [["AZURE_API_KEY", "AZURE_BASE_URL"]],
    listing: "azure",
    modelsOf: "openai",
    embeddingKind: "azure",
    telemetryName: "azure.ai.openai",
  }),
  hosted("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", {
    suggestedModel: "llama-3.3-70b-versatile",
    listing: "groq",
    quirks: { ...newLimit, toolChoice: "unnamed", takesParallel: true, thinking: "effort" },
  }),
  hosted("together", "Together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", {
    listing: "together",
    embeddingKind: "together",
    quirks: { toolChoice: "auto", thinking: "effort" },
  }),
  local("vllm", "vLLM", "VLLM_API_BASE", null, {
    handleVariable: "VLLM_HANDLE_BASE",
    listing: "vllm",
    quirks: { toolChoice: "auto", takesParallel: true },
  }),
  hosted("bedrock", "Bedrock", null, "AWS_SECRET_ACCESS_KEY", {
    adapter: "bedrock",
    keyVariables: ["AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
    detectedBy: [["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"], ["AWS_BEARER_TOKEN_BEDROCK"]],
    listing: "bedrock",
    embeddingKind: "bedrock",
    telemetryName: "aws.bedrock",
  }),
  hosted("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", {
    suggestedModel: "deepseek-chat",
    listing: "deepseek",
    quirks: { keepsThoughts: true },
  }),
  hosted("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY", {
    suggestedModel: "grok-3-mini",
    listing: "xai",
    telemetryName: "x_ai",
    quirks: { ...newLimit, takesParallel: true, takesStrict: true, thinking: "effort" },
  }),
  local("lmstudio_openai", "LM Studio", "LMSTUDIO_BASE_URL", "http://127.0.0.1:1234/v1", { listing: "lmstudio" }),
  // Both addresses end in a slash in configs, as the old server shows them; requests leave it out.
  hosted("zai", "Z.ai", "https://api.z.ai/api/paas/v4/", "ZAI_API_KEY", {
    baseUrlVariables: ["ZAI_BASE_URL"],
    listing: "catalogue",
    quirks: { thinking: "switch" },
  }),
  hosted("zai_coding", "Z.ai coding", "https://api.z.ai/api/coding/paas/v4/", "ZAI_API_KEY", {
    // The status page reports ZAI_API_KEY once, as Z.ai.
    detectedBy: [],
    listing: "catalogue",
    modelsOf: "zai",
    quirks: { thinking: "switch" },
  }),
  hosted("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", {
    handleVariable: "OPENROUTER_HANDLE_BASE",
    suggestedModel: "openai/gpt-4o-mini",
    listing: "openrouter",
    quirks: { toolChoice: "unnamed", takesParallel: true, takesStrict: true, thinking: "object" },
  }),
  hosted("minimax", "MiniMax", "https://api.minimax.io/anthropic", "MINIMAX_API_KEY", {
    adapter: "anthropic",
    listing: "catalogue",
    takesBetas: false,
  }),
  hosted("baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_API_KEY", {
    listing: "baseten",
    quirks: { takesParallel: true, takesStrict: "always", emptyText: "(empty)", thinking: "template" },
  }),
  hosted("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", {
    suggestedModel: "mistral-small-latest",
    listing: "mistral",
    // The old server shows its models with the kind of the protocol, its embeddings with their own.
    endpointKind: "openai",
    embeddingKind: "mistral",
    telemetryName: "mistral_ai",
    quirks: { callId: shortId, countsUnasked: true, takesParallel: true },
  }),
  hosted("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", {
    listing: "cerebras",
    // Clients know no kind of endpoint called cerebras.
    endpointKind: "openai",
    quirks: { ...newLimit, takesParallel: true, takesStrict: true, thinking: "effort" },
  }),
  hosted("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", {
    quirks: { takesParallel: true, thinking: "effort" },
  }),
  hosted("hugging-face", "Hugging Face", "https://router.huggingface.co/v1", "HF_TOKEN", {
    quirks: { thinking: "effort" },
  }),
  local("sglang", "SGLang", "SGLANG_API_BASE", null, {
    handleVariable: "SGLANG_HANDLE_BASE",
    listing: "sglang",
    quirks: { takesParallel: true },
  }),
  {
    type: "memoir",
    title: "Memoir",
    adapter: "demo",
    baseUrl: null,
    keyVariables: [],
    baseUrlVariables: [],
    detectedBy: [],
    listing: "catalogue",
    endpointKind: "openai",
    embeddingKind: "openai",
    telemetryName: "memoir",
  },
];

/**
 * Any other server that speaks Chat Completions: found behind another address of OpenAI's, by a model's name. It is in no
 * list: on the wire such a server is stored as openai with its address.
 */
export const compatibleRow: ProviderRow = {
  type: "openai-compatible",
  title: "OpenAI-compatible",
  adapter: "compatible",
  baseUrl: null,
  keyVariables: ["OPENAI_API_KEY"],
  baseUrlVariables: ["OPENAI_BASE_URL"],
  detectedBy: [],
  listing: "catalogue",
  endpointKind: "openai",
  embeddingKind: "openai",
  telemetryName: "openai-compatible",
  quirks: { isLocal: true, thinking: "effort" },
};

const rowsByType = new Map([...providerRows, compatibleRow].map((row) => [row.type, row]));

export function findProviderRow(type: string): ProviderRow | undefined {
  return rowsByType.get(type);
}

const formerNames: ReadonlyMap<string, string> = new Map(
  providerRows.flatMap(({ formerName, type }) => (formerName ? [[formerName, type] as const] : [])),
);

/** Names that handles of the catalogue begin with, whether or not those providers are configured. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...providerRows.map(({ type }) => type),
  ...formerNames.keys(),
]);

export function currentProviderName(name: string): string {
  return formerNames.get(name) ?? name;
}
