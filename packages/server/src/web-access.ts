/** What `web_search` and `fetch_webpage` need, from the variables people already have set. */
import type { WebAccess } from "@memoir/core";
import type { Environment, ServerConfig } from "./config.ts";

export function readWebAccess(
  { searxngUrl, fetchAllowPrivate }: Pick<ServerConfig, "searxngUrl" | "fetchAllowPrivate">,
  { EXA_API_KEY, EXA_BASE_URL, TAVILY_API_KEY, TAVILY_BASE_URL }: Environment,
): WebAccess {
  const given = {
    exaKey: EXA_API_KEY?.trim(),
    exaUrl: EXA_BASE_URL?.trim(),
    tavilyKey: TAVILY_API_KEY?.trim(),
    tavilyUrl: TAVILY_BASE_URL?.trim(),
    searxngUrl,
  };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)),
    pageHosts: fetchAllowPrivate.map((host) => host.toLowerCase()),
  };
}
