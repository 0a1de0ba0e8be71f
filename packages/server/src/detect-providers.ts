/** Which model providers are at hand: keys in the environment, servers on this machine. */
export interface FoundProvider {
  readonly name: string;
  readonly title: string;
  readonly found: boolean;
  /** Where it was found, or how to add it. One line. */
  readonly detail: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface KeyedProvider {
  readonly name: string;
  readonly title: string;
  /** One of them is enough, unless they are needed together. */
  readonly keys: readonly string[];
  readonly needsAll?: true;
}

/** Named even when they are not there. */
const usual: readonly KeyedProvider[] = [
  { name: "openai", title: "OpenAI", keys: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"] },
  { name: "anthropic", title: "Anthropic", keys: ["ANTHROPIC_API_KEY"] },
  { name: "google_ai", title: "Google AI", keys: ["GEMINI_API_KEY"] },
];

/** Named only when they are: nobody has them all. */
const others: readonly KeyedProvider[] = [
  {
    name: "google_vertex",
    title: "Google Vertex",
    keys: ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
    needsAll: true,
  },
  { name: "azure", title: "Azure", keys: ["AZURE_API_KEY", "AZURE_BASE_URL"], needsAll: true },
  { name: "bedrock", title: "Bedrock", keys: ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"], needsAll: true },
  { name: "groq", title: "Groq", keys: ["GROQ_API_KEY"] },
  { name: "together", title: "Together", keys: ["TOGETHER_API_KEY"] },
  { name: "deepseek", title: "DeepSeek", keys: ["DEEPSEEK_API_KEY"] },
  { name: "xai", title: "xAI", keys: ["XAI_API_KEY"] },
  { name: "zai", title: "Z.ai", keys: ["ZAI_API_KEY"] },
  { name: "openrouter", title: "OpenRouter", keys: ["OPENROUTER_API_KEY"] },
  { name: "minimax", title: "MiniMax", keys: ["MINIMAX_API_KEY"] },
  { name: "baseten", title: "Baseten", keys: ["BASETEN_API_KEY"] },
  { name: "mistral", title: "Mistral", keys: ["MISTRAL_API_KEY"] },
  { name: "cerebras", title: "Cerebras", keys: ["CEREBRAS_API_KEY"] },
  { name: "fireworks", title: "Fireworks", keys: ["FIREWORKS_API_KEY"] },
  { name: "hugging-face", title: "Hugging Face", keys: ["HF_TOKEN"] },
];

interface LocalProvider {
  readonly name: string;
  readonly title: string;
  readonly variable: string;
  /** Where it usually is; without it, it is looked for only where the variable says. */
  readonly address?: string;
  readonly probe: string;
}

const local: readonly LocalProvider[] = [
  {
    name: "ollama",
    title: "Ollama",
    variable: "OLLAMA_BASE_URL",
    address: "http://127.0.0.1:11434",
    probe: "/api/tags",
  },
  {
    name: "lmstudio_openai",
    title: "LM Studio",
    variable: "LMSTUDIO_BASE_URL",
    address: "http://127.0.0.1:1234",
    probe: "/v1/models",
  },
  { name: "vllm", title: "vLLM", variable: "VLLM_API_BASE", probe: "/v1/models" },
  { name: "sglang", title: "SGLang", variable: "SGLANG_API_BASE", probe: "/v1/models" },
];

const probeMs = 400;

/** `discover`: look at usual addresses too, not only at those that were given. */
export async function findProviders(
  environment: Environment,
  discover = true,
  timeoutMs = probeMs,
): Promise<FoundProvider[]> {
  const looked = local.filter(({ address, variable }) => (discover && address !== undefined) || environment[variable]);
  const servers = await Promise.all(looked.map((provider) => findLocal(provider, environment, timeoutMs)));
  const found = others.map((provider) => findKeyed(provider, environment)).filter((provider) => provider.found);
  return [...usual.map((provider) => findKeyed(provider, environment)), ...found, ...servers];
}

function findKeyed({ name, title, keys, needsAll }: KeyedProvider, environment: Environment): FoundProvider {
  const isThere = needsAll ? keys.every((key) => environment[key]) : true;
  const variable = isThere ? keys.find((key) => environment[key]) : undefined;
  const detail = variable ? `${variable} is set` : `set ${keys[0]} and start again`;
  return { name, title, found: variable !== undefined, detail };
}

async function findLocal(provider: LocalProvider, environment: Environment, timeoutMs: number): Promise<FoundProvider> {
  const { name, title, variable } = provider;
  const configured = environment[variable] || undefined;
  const address = (configured ?? provider.address ?? "").replace(/\/+$/, "").replace(/\/v1$/, "");
  const found = await answers(`${address}${provider.probe}`, timeoutMs);
  const hint = configured
    ? `${variable} names ${address}, which does not answer`
    : `start ${title} on this machine, or set ${variable}`;
  return { name, title, found, detail: found ? `answers at ${address}` : hint };
}

async function answers(url: string, timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
