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
  readonly keys: readonly string[];
}

const keyed: readonly KeyedProvider[] = [
  { name: "openai", title: "OpenAI", keys: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"] },
  { name: "anthropic", title: "Anthropic", keys: ["ANTHROPIC_API_KEY"] },
  { name: "google_ai", title: "Google AI", keys: ["GEMINI_API_KEY"] },
];

interface LocalProvider {
  readonly name: string;
  readonly title: string;
  readonly variable: string;
  readonly address: string;
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
];

const probeMs = 400;

export async function findProviders(environment: Environment): Promise<FoundProvider[]> {
  const servers = await Promise.all(local.map((provider) => findLocal(provider, environment)));
  return [...keyed.map((provider) => findKeyed(provider, environment)), ...servers];
}

function findKeyed({ name, title, keys }: KeyedProvider, environment: Environment): FoundProvider {
  const variable = keys.find((key) => environment[key]);
  const detail = variable ? `${variable} is set` : `set ${keys[0]} and start again`;
  return { name, title, found: variable !== undefined, detail };
}

async function findLocal(provider: LocalProvider, environment: Environment): Promise<FoundProvider> {
  const { name, title, variable } = provider;
  const configured = environment[variable] || undefined;
  const address = (configured ?? provider.address).replace(/\/+$/, "").replace(/\/v1$/, "");
  const found = await answers(`${address}${provider.probe}`);
  const hint = configured
    ? `${variable} names ${address}, which does not answer`
    : `start ${title} on this machine, or set ${variable}`;
  return { name, title, found, detail: found ? `answers at ${address}` : hint };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(probeMs), redirect: "error" });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
