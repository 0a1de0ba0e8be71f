/** Tavily: searches the web and gives the passage of each page that fits the question. */
import { askService, asObjects, asText, type SearchWeb, type WebQuery } from "./search.ts";

export const tavilyAddress = "https://api.tavily.com";

/** It gives no more at once. */
const maxResults = 20;

/** Kinds of pages that are known by where they are; the other kinds it does not know become words of the question. */
const categorySites: Readonly<Record<string, readonly string[]>> = {
  github: ["github.com"],
  tweet: ["x.com", "twitter.com"],
  "linkedin profile": ["linkedin.com"],
};
const categoryTopics: Readonly<Record<string, string>> = { news: "news", "financial report": "finance" };

export const searchTavily: SearchWeb = async (query, access) => {
  const { results } = await askService("Tavily", access, "/search", {
    method: "POST",
    headers: { authorization: `Bearer ${access.key ?? ""}`, "content-type": "application/json" },
    body: JSON.stringify(toBody(query)),
  });
  return asObjects(results).map((item) => ({
    title: asText(item.title),
    url: asText(item.url) ?? "",
    publishedAt: asText(item.published_date),
    author: null,
    ...(query.includesText ? { text: asText(item.raw_content) } : {}),
    summary: asText(item.content),
  }));
};

function toBody({ text, count, category = "", includesText, from, to, country, ...query }: WebQuery) {
  const sites = categorySites[category];
  const topic = categoryTopics[category] ?? "general";
  const isKnown = category === "" || sites !== undefined || topic !== "general";
  // Only general searches can prefer a country, and it wants its English name.
  const place = topic === "general" ? findCountry(country) : undefined;
  const included = query.includedDomains.length > 0 ? query.includedDomains : (sites ?? []);
  return {
    query: isKnown ? text : `${text} ${category}`,
    topic,
    search_depth: "basic",
    max_results: Math.min(count, maxResults),
    include_raw_content: includesText ? "markdown" : false,
    ...(included.length > 0 ? { include_domains: included } : {}),
    ...(query.excludedDomains.length > 0 ? { exclude_domains: query.excludedDomains } : {}),
    ...(from === undefined ? {} : { start_date: from.slice(0, 10) }),
    ...(to === undefined ? {} : { end_date: to.slice(0, 10) }),
    ...(place === undefined ? {} : { country: place }),
  };
}

const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

function findCountry(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Za-z]{2}$/.test(code) ? names.of(code.toUpperCase())?.toLowerCase() : undefined;
}
