/** Keys and addresses of model providers, from the variables people already have set. */
import { readFileSync } from "node:fs";
import type { ProviderAccess } from "@memoir/core";

type Environment = Readonly<Record<string, string | undefined>>;

/** Of each list the first variable that is set counts. */
interface ProviderVariables {
  readonly key?: readonly string[];
  readonly address?: readonly string[];
  readonly more?: (environment: Environment) => ProviderAccess;
  /** Gives its handles another beginning. */
  readonly handleBase?: string;
}

const providerVariables: Readonly<Record<string, ProviderVariables>> = {
  openai: { key: ["OPENAI_API_KEY"], address: ["OPENAI_BASE_URL", "OPENAI_API_BASE"] },
  anthropic: { key: ["ANTHROPIC_API_KEY"], address: ["ANTHROPIC_BASE_URL"] },
  google_ai: { key: ["GEMINI_API_KEY"], address: ["GEMINI_BASE_URL"] },
  google_vertex: { more: readVertex },
  azure: {
    key: ["AZURE_API_KEY"],
    address: ["AZURE_BASE_URL"],
    more: (environment) => pick({ apiVersion: environment.AZURE_API_VERSION }),
  },
  bedrock: { key: ["AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK"], more: readAws },
  together: { key: ["TOGETHER_API_KEY"] },
  groq: { key: ["GROQ_API_KEY"] },
  xai: { key: ["XAI_API_KEY"] },
  deepseek: { key: ["DEEPSEEK_API_KEY"] },
  mistral: { key: ["MISTRAL_API_KEY"] },
  cerebras: { key: ["CEREBRAS_API_KEY"] },
  fireworks: { key: ["FIREWORKS_API_KEY"] },
  "hugging-face": { key: ["HF_TOKEN"] },
  baseten: { key: ["BASETEN_API_KEY"] },
  openrouter: { key: ["OPENROUTER_API_KEY"], more: readOpenRouter, handleBase: "OPENROUTER_HANDLE_BASE" },
  minimax: { key: ["MINIMAX_API_KEY"] },
  zai: { key: ["ZAI_API_KEY"], address: ["ZAI_BASE_URL"] },
  zai_coding: { key: ["ZAI_API_KEY"] },
  ollama: { address: ["OLLAMA_BASE_URL"] },
  lmstudio_openai: { address: ["LMSTUDIO_BASE_URL"] },
  vllm: { address: ["VLLM_API_BASE"], handleBase: "VLLM_HANDLE_BASE" },
  sglang: { address: ["SGLANG_API_BASE"], handleBase: "SGLANG_HANDLE_BASE" },
};

/** What is configured; a provider of which nothing is has no entry. */
export function readProviderAccess(environment: Environment): Record<string, ProviderAccess> {
  return Object.fromEntries(
    Object.entries(providerVariables).flatMap(([provider, { key = [], address = [], more, handleBase = "" }]) => {
      const access: ProviderAccess = {
        ...pick({ apiKey: findSet(key, environment), baseUrl: findSet(address, environment) }),
        ...more?.(environment),
      };
      if (Object.keys(access).length === 0) return [];
      const name = environment[handleBase]?.trim();
      return [name ? ([name, { ...access, type: provider }] as const) : ([provider, access] as const)];
    }),
  );
}

function findSet(names: readonly string[], environment: Environment): string | undefined {
  return names.map((name) => environment[name]?.trim()).find(Boolean);
}

function pick(fields: Readonly<Record<string, string | undefined>>): ProviderAccess {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

/** Only with a key: a region alone, which other programs want too, is no access. */
function readAws(environment: Environment): ProviderAccess {
  if (!environment.AWS_SECRET_ACCESS_KEY && !environment.AWS_BEARER_TOKEN_BEDROCK) return {};
  const { AWS_SECRET_ACCESS_KEY, AWS_ACCESS_KEY_ID, AWS_DEFAULT_REGION, AWS_REGION, AWS_SESSION_TOKEN } = environment;
  return {
    ...pick({ region: AWS_DEFAULT_REGION || AWS_REGION }),
    ...(AWS_SECRET_ACCESS_KEY ? pick({ accessKey: AWS_ACCESS_KEY_ID }) : {}),
    ...(AWS_SECRET_ACCESS_KEY && AWS_SESSION_TOKEN ? { headers: { "x-amz-security-token": AWS_SESSION_TOKEN } } : {}),
  };
}

function readVertex(environment: Environment): ProviderAccess {
  const { GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION, GOOGLE_APPLICATION_CREDENTIALS } = environment;
  if (!GOOGLE_CLOUD_PROJECT || !GOOGLE_CLOUD_LOCATION) return {};
  return pick({
    project: GOOGLE_CLOUD_PROJECT,
    location: GOOGLE_CLOUD_LOCATION,
    apiKey: GOOGLE_APPLICATION_CREDENTIALS && readCredentials(GOOGLE_APPLICATION_CREDENTIALS),
  });
}

/** A file that cannot be read must not keep the server from starting: models of Vertex then say that it is no JSON. */
function readCredentials(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "{ unreadable";
  }
}

function readOpenRouter({ OPENROUTER_REFERER, OPENROUTER_TITLE, OPENROUTER_API_KEY }: Environment): ProviderAccess {
  const headers = {
    ...(OPENROUTER_REFERER ? { "HTTP-Referer": OPENROUTER_REFERER } : {}),
    ...(OPENROUTER_TITLE ? { "X-Title": OPENROUTER_TITLE } : {}),
  };
  return OPENROUTER_API_KEY && Object.keys(headers).length > 0 ? { headers } : {};
}
