/** Keys and addresses of model providers, from the variables that their records name. */
import { readFileSync } from "node:fs";
import { type ProviderAccess, type ProviderRow, providerRows } from "@memoir/core";

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that only some providers have. */
const extraSettings: Readonly<Record<string, (environment: Environment) => ProviderAccess>> = {
  google_vertex: readVertex,
  azure: (environment) => pick({ apiVersion: environment.AZURE_API_VERSION }),
  bedrock: readAws,
  openrouter: readOpenRouter,
};

/** What is configured; a provider of which nothing is has no entry. */
export function readProviderAccess(environment: Environment): Record<string, ProviderAccess> {
  return Object.fromEntries(
    providerRows.flatMap((row) => {
      const access = readAccess(row, environment);
      if (Object.keys(access).length === 0) return [];
      const name = environment[row.handleVariable ?? ""]?.trim();
      return [name ? ([name, { ...access, type: row.type }] as const) : ([row.type, access] as const)];
    }),
  );
}

function readAccess(row: ProviderRow, environment: Environment): ProviderAccess {
  const apiKey = row.isKeyFile ? undefined : findSet(row.keyVariables, environment);
  return {
    ...pick({ apiKey, baseUrl: findSet(row.baseUrlVariables, environment) }),
    ...extraSettings[row.type]?.(environment),
  };
}

/** The first variable that is set counts. */
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
