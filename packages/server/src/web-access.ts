/** What tools that go out into the web need, from the variables people already have set. */
import type { ComposioAccess, WebAccess } from "@memoir/core";
import type { Environment, ServerConfig } from "./config/settings.ts";

export function readWebAccess(
  { searxngUrl, fetchAllowPrivate }: Pick<ServerConfig, "searxngUrl" | "fetchAllowPrivate">,
  { EXA_API_KEY, EXA_BASE_URL, TAVILY_API_KEY, TAVILY_BASE_URL }: Environment,
): WebAccess {
  const input = {
    exaKey: EXA_API_KEY?.trim(),
    exaUrl: EXA_BASE_URL?.trim(),
    tavilyKey: TAVILY_API_KEY?.trim(),
    tavilyUrl: TAVILY_BASE_URL?.trim(),
    searxngUrl,
  };
  return {
    ...pickSet(input),
    pageHosts: fetchAllowPrivate.map((host) => host.toLowerCase()),
  };
}

export function readComposioAccess({
  COMPOSIO_API_KEY,
  COMPOSIO_ENTITY,
  COMPOSIO_BASE_URL,
}: Environment): ComposioAccess {
  return pickSet({
    apiKey: COMPOSIO_API_KEY?.trim(),
    entity: COMPOSIO_ENTITY?.trim(),
    baseUrl: COMPOSIO_BASE_URL?.trim(),
  });
}

function pickSet<K extends string>(input: Readonly<Record<K, string | undefined>>): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value)) as Partial<Record<K, string>>;
}
