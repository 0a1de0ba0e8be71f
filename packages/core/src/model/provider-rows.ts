/**
 * Which provider speaks which protocol, where it is, what its variables are called and what it does differently. A
 * provider that is plainly compatible with a protocol is one row.
 */

/** How a server's Chat Completions differ from the usual. None of it: it takes what most do. */
export interface ChatQuirks {
  /** "auto": it knows no other choice. "unnamed": it can be told to call a tool, but not which. */
  readonly toolChoice?: "auto" | "unnamed";
  /** It calls the output limit so, instead of `max_tokens`. */
  readonly limitField?: "max_completion_tokens";
  /** It can be told whether a reply may call several tools. */
  readonly takesParallel?: true;
  /** "always": its tools are strict wherever their schemas allow it. */
  readonly takesStrict?: true | "always";
  /** The model must see its thoughts again until its turn ends; else they are left out. */
  readonly keepsThoughts?: true;
  /** How it is told to think, where it can be. */
  readonly thinking?: "effort" | "object" | "switch" | "template";
  /** The form that ids of calls must have, and how many characters a made-up one has. */
  readonly callId?: { readonly form: RegExp; readonly length: number };
  /** What stands for a text that is empty, where that is refused. */
  readonly emptyText?: string;
  /** It counts tokens without being asked, and refuses to be asked. */
  readonly countsUnasked?: true;
  /**
   * Run by people on their own machines: needs no key, may lose what a model says when it streams, and runs small models
   * that write calls down instead of making them.
   */
  readonly isLocal?: true;
}

export interface ProviderRow {
  /** As configs call it, by provider or by protocol. */
  readonly type: string;
  readonly title: string;
  readonly adapter: "openai" | "azure" | "anthropic" | "google" | "vertex" | "bedrock" | "compatible" | "demo";
  /** Null: its user must say. */
  readonly baseUrl: string | null;
  /** For people and documentation: core itself reads no environment. */
  readonly keyVariable: string | null;
  readonly baseUrlVariable: string | null;
  readonly quirks?: ChatQuirks;
  /** How often it is asked in all when it is busy; 3 unless said. */
  readonly tries?: number;
}

type Rest = Partial<Pick<ProviderRow, "adapter" | "baseUrlVariable" | "quirks" | "tries">>;

function hosted(
  type: string,
  title: string,
  baseUrl: string | null,
  keyVariable: string,
  rest: Rest = {},
): ProviderRow {
  return { type, title, adapter: "compatible", baseUrl, keyVariable, baseUrlVariable: null, ...rest };
}

function local(
  type: string,
  title: string,
  baseUrlVariable: string,
  baseUrl: string | null,
  quirks: ChatQuirks = {},
): ProviderRow {
  return {
    type,
    title,
    adapter: "compatible",
    baseUrl,
    keyVariable: null,
    baseUrlVariable,
    quirks: { isLocal: true, thinking: "effort", ...quirks },
  };
}

const newLimit = { limitField: "max_completion_tokens" } as const;
/** Mistral refuses any other id. */
const shortId = { form: /^[a-zA-Z0-9]{9}$/, length: 9 };

export const providerRows: readonly ProviderRow[] = [
  hosted("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", {
    adapter: "openai",
    baseUrlVariable: "OPENAI_BASE_URL",
  }),
  hosted("anthropic", "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", {
    adapter: "anthropic",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
  }),
  local("ollama", "Ollama", "OLLAMA_BASE_URL", "http://127.0.0.1:11434/v1"),
  hosted("google_ai", "Google AI", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", {
    adapter: "google",
    baseUrlVariable: "GEMINI_BASE_URL",
    tries: 5,
  }),
  hosted("google_vertex", "Google Vertex", null, "GOOGLE_APPLICATION_CREDENTIALS", { adapter: "vertex", tries: 5 }),
  hosted("azure", "Azure", null, "AZURE_API_KEY", { adapter: "azure", baseUrlVariable: "AZURE_BASE_URL" }),
  hosted("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", {
    quirks: { ...newLimit, toolChoice: "unnamed", takesParallel: true, thinking: "effort" },
  }),
  hosted("together", "Together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", {
    quirks: { toolChoice: "auto", thinking: "effort" },
  }),
  local("vllm", "vLLM", "VLLM_API_BASE", null, { toolChoice: "auto", takesParallel: true }),
  local("sglang", "SGLang", "SGLANG_API_BASE", null, { takesParallel: true }),
  hosted("bedrock", "Bedrock", null, "AWS_SECRET_ACCESS_KEY", { adapter: "bedrock" }),
  hosted("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", {
    quirks: { keepsThoughts: true },
  }),
  hosted("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY", {
    quirks: { ...newLimit, takesParallel: true, takesStrict: true, thinking: "effort" },
  }),
  local("lmstudio_openai", "LM Studio", "LMSTUDIO_BASE_URL", "http://127.0.0.1:1234/v1"),
  hosted("zai", "Z.ai", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", {
    baseUrlVariable: "ZAI_BASE_URL",
    quirks: { thinking: "switch" },
  }),
  hosted("zai_coding", "Z.ai coding", "https://api.z.ai/api/coding/paas/v4", "ZAI_API_KEY", {
    quirks: { thinking: "switch" },
  }),
  hosted("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", {
    quirks: { toolChoice: "unnamed", takesParallel: true, takesStrict: true, thinking: "object" },
  }),
  hosted("minimax", "MiniMax", "https://api.minimax.io/anthropic", "MINIMAX_API_KEY", { adapter: "anthropic" }),
  hosted("baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_API_KEY", {
    quirks: { takesParallel: true, takesStrict: "always", emptyText: "(empty)", thinking: "template" },
  }),
  hosted("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", {
    quirks: { callId: shortId, countsUnasked: true, takesParallel: true },
  }),
  hosted("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", {
    quirks: { ...newLimit, takesParallel: true, takesStrict: true, thinking: "effort" },
  }),
  hosted("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", {
    quirks: { takesParallel: true, thinking: "effort" },
  }),
  hosted("hugging-face", "Hugging Face", "https://router.huggingface.co/v1", "HF_TOKEN", {
    quirks: { thinking: "effort" },
  }),
  {
    type: "memoir",
    title: "Memoir",
    adapter: "demo",
    baseUrl: null,
    keyVariable: null,
    baseUrlVariable: null,
  },
];

/** Any other server that speaks Chat Completions: found behind another address of OpenAI's, by a model's name. */
export const compatibleRow: ProviderRow = {
  type: "openai-compatible",
  title: "OpenAI-compatible",
  adapter: "compatible",
  baseUrl: null,
  keyVariable: "OPENAI_API_KEY",
  baseUrlVariable: "OPENAI_BASE_URL",
  quirks: { isLocal: true, thinking: "effort" },
};

export function findProviderRow(type: string): ProviderRow | undefined {
  return [...providerRows, compatibleRow].find((row) => row.type === type);
}
