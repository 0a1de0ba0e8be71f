/** `web_search`: asks whichever service is set up. A search that failed is an answer too, as models know it. */
import type { JsonObject } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import type { OutsideCall } from "../tool.ts";
import { accessAt, type WebAccess, type WebTools } from "./access.ts";
import { exaAddress, searchExa } from "./exa.ts";
import { readOutside } from "./fetch-page.ts";
import type { SearchAccess, SearchWeb, WebQuery, WebResult } from "./search.ts";
import { searchSearxng } from "./searxng.ts";
import { searchTavily, tavilyAddress } from "./tavily.ts";

interface Searcher {
  readonly search: SearchWeb;
  readonly access: Omit<SearchAccess, "signal">;
}

async function findSearcher(tools: WebTools, call: OutsideCall): Promise<Searcher | undefined> {
  const { web, allowedHosts } = tools;
  const { EXA_API_KEY, TAVILY_API_KEY, MEMOIR_SEARXNG_URL } = await tools.readSecrets(call.orgId, call.agentId);
  const searxng = MEMOIR_SEARXNG_URL && { address: MEMOIR_SEARXNG_URL, allowedHosts };
  // What the operator names may be on this machine, and mostly is.
  const ours = web.searxngUrl && accessAt(web.searxngUrl);
  return (
    chooseSearcher(web, EXA_API_KEY, TAVILY_API_KEY, searxng) ?? chooseSearcher(web, web.exaKey, web.tavilyKey, ours)
  );
}

function chooseSearcher(
  { exaUrl = exaAddress, tavilyUrl = tavilyAddress }: WebAccess,
  exaKey: string | undefined,
  tavilyKey: string | undefined,
  searxng: Searcher["access"] | "" | undefined,
): Searcher | undefined {
  if (exaKey) return { search: searchExa, access: accessAt(exaUrl, exaKey) };
  if (tavilyKey) return { search: searchTavily, access: accessAt(tavilyUrl, tavilyKey) };
  return searxng ? { search: searchSearxng, access: searxng } : undefined;
}

export async function searchWeb(tools: WebTools, args: JsonObject, call: OutsideCall): Promise<JsonObject> {
  const query = toQuery(args);
  const searcher = await findSearcher(tools, call);
  if (!searcher) {
    throw new ToolFailure(
      "web_search is not set up on this server. Whoever runs it can set EXA_API_KEY, TAVILY_API_KEY or " +
        "MEMOIR_SEARXNG_URL, for the server or as a secret of this agent. Go on without it.",
    );
  }
  try {
    const access = { ...searcher.access, signal: call.signal };
    const results = await searcher.search(query, access, (url) => readText(tools, url, call));
    return { query: query.text, results: results.map(toOutput) };
  } catch (error) {
    if (call.signal.aborted) throw error;
    return { query: query.text, error: error instanceof Error ? error.message : String(error) };
  }
}

function toQuery(args: JsonObject): WebQuery {
  const count = typeof args.num_results === "number" ? args.num_results : 10;
  const text = (name: string) => (typeof args[name] === "string" && args[name] !== "" ? args[name] : undefined);
  return {
    text: String(args.query),
    count: Math.min(Math.max(Math.trunc(count), 1), 100),
    category: text("category"),
    includesText: args.include_text === true,
    includedDomains: toDomains(args.include_domains),
    excludedDomains: toDomains(args.exclude_domains),
    from: text("start_published_date"),
    to: text("end_published_date"),
    country: text("user_location"),
  };
}

/** Models like to send whole addresses. */
function toDomains(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  return input.map((item) => (URL.parse(String(item))?.hostname || String(item)).trim().toLowerCase()).filter(Boolean);
}

function toOutput({ title, url, publishedAt, author, text, highlights, summary }: WebResult): JsonObject {
  return {
    title,
    url,
    published_date: publishedAt,
    author,
    ...(text === undefined ? {} : { text }),
    ...(highlights === undefined ? {} : { highlights: [...highlights] }),
    ...(summary === undefined ? {} : { summary }),
  };
}

const longestText = 20_000;

async function readText(tools: WebTools, url: string, call: OutsideCall): Promise<string | undefined> {
  try {
    return (await readOutside(tools, url, call)).text.slice(0, longestText);
  } catch (error) {
    if (call.signal.aborted) throw error;
    return undefined;
  }
}
