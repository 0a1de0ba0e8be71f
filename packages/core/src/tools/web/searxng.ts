/** SearXNG: asks other search engines. It knows fewer filters than services do, so what it leaves over is filtered here. */
import type { JsonObject } from "../../shared/json.ts";
import {
  askService,
  asObjects,
  asText,
  type SearchAccess,
  type SearchWeb,
  type WebQuery,
  type WebResult,
} from "./search.ts";

const maxPages = 5;
/** Pages that are read for their text; the others keep their summaries. */
const maxTexts = 5;

const categories: Readonly<Record<string, string>> = { news: "news", "research paper": "science", github: "it" };
const categorySites: Readonly<Record<string, readonly string[]>> = {
  github: ["github.com"],
  tweet: ["x.com", "twitter.com"],
  "linkedin profile": ["linkedin.com"],
};

export const searchSearxng: SearchWeb = async (query, access, readText) => {
  const found = new Map<string, WebResult>();
  for (let page = 1; page <= maxPages && found.size < query.count; page++) {
    const items = await askPage(query, access, page);
    if (items.length === 0) break;
    for (const result of items.map(describe)) {
      if (result.url !== "" && isWanted(result, query) && !found.has(result.url)) found.set(result.url, result);
    }
  }
  const results = [...found.values()].slice(0, query.count);
  if (!query.includesText) return results;
  const texts = await Promise.all(results.slice(0, maxTexts).map(({ url }) => readText(url)));
  return results.map((result, index) => ({ ...result, text: texts[index] ?? null }));
};

async function askPage(query: WebQuery, access: SearchAccess, page: number): Promise<JsonObject[]> {
  const parameters = new URLSearchParams({ q: toWords(query), format: "json", pageno: String(page) });
  const category = categories[query.category ?? ""];
  if (category !== undefined) parameters.set("categories", category);
  try {
    const { results } = await askService("SearXNG", access, `/search?${parameters}`, {});
    return asObjects(results);
  } catch (error) {
    const isRefused = error instanceof Error && error.message.startsWith("SearXNG answered 403");
    throw isRefused ? new Error('SearXNG refuses JSON: add "json" to search.formats in its settings.yml') : error;
  }
}

/** Most engines behind it understand these words; results of those that do not are filtered. */
function toWords(query: WebQuery): string {
  const { text, category = "" } = query;
  const sites = wantedSites(query).map((site) => `site:${site}`);
  const isWord = category !== "" && categories[category] === undefined && categorySites[category] === undefined;
  return [
    text,
    ...(category === "pdf" ? ["filetype:pdf"] : isWord ? [category] : []),
    ...(sites.length > 0 ? [sites.join(" OR ")] : []),
    ...query.excludedDomains.map((site) => `-site:${site}`),
  ].join(" ");
}

function wantedSites({ includedDomains, category = "" }: WebQuery): readonly string[] {
  return includedDomains.length > 0 ? includedDomains : (categorySites[category] ?? []);
}

function describe(item: JsonObject): WebResult {
  return {
    title: asText(item.title),
    url: asText(item.url) ?? "",
    publishedAt: asText(item.publishedDate),
    author: asText(item.author),
    summary: asText(item.content),
  };
}

/** Pages whose day is not known stay: most say none. */
function isWanted({ url, publishedAt }: WebResult, query: WebQuery): boolean {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return false;
  const isAt = (sites: readonly string[]) => sites.some((site) => host === site || host.endsWith(`.${site}`));
  const sites = wantedSites(query);
  if ((sites.length > 0 && !isAt(sites)) || isAt(query.excludedDomains)) return false;
  const day = publishedAt?.slice(0, 10) ?? "";
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return true;
  return day >= (query.from?.slice(0, 10) ?? "") && day <= (query.to?.slice(0, 10) ?? "9999");
}
