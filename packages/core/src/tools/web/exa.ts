/** Exa: searches by meaning, and gives summaries and texts of pages. */
import type { JsonObject } from "../../shared/json.ts";
import { askService, asObjects, asText, type SearchAccess, type SearchWeb } from "./search.ts";

export const exaAddress = "https://api.exa.ai";

export const searchExa: SearchWeb = async (query, access) => {
  const { text, count, category, includesText, includedDomains, excludedDomains, from, to, country } = query;
  const body = {
    query: text,
    type: "auto",
    numResults: count,
    ...(category === undefined ? {} : { category }),
    ...(includedDomains.length > 0 ? { includeDomains: includedDomains } : {}),
    ...(excludedDomains.length > 0 ? { excludeDomains: excludedDomains } : {}),
    ...(from === undefined ? {} : { startPublishedDate: from }),
    ...(to === undefined ? {} : { endPublishedDate: to }),
    ...(country === undefined ? {} : { userLocation: country.toUpperCase() }),
    contents: {
      text: includesText,
      highlights: { query: text, numSentences: 2, highlightsPerUrl: 3 },
      summary: { query: text },
    },
  };
  const { results } = await ask(access, "/search", body);
  return asObjects(results).map((item) => ({
    ...describe(item),
    ...(includesText ? { text: asText(item.text) } : {}),
    highlights: (Array.isArray(item.highlights) ? item.highlights : []).filter((part) => typeof part === "string"),
    summary: asText(item.summary),
  }));
};

/** Undefined where Exa does not have the page. */
export async function readByExa(url: string, access: SearchAccess) {
  const { results } = await ask(access, "/contents", { urls: [url], text: true });
  const [page] = asObjects(results);
  const text = page && asText(page.text);
  return page && text ? { ...describe(page), text } : undefined;
}

function describe(item: JsonObject) {
  return {
    title: asText(item.title),
    url: asText(item.url) ?? "",
    publishedAt: asText(item.publishedDate),
    author: asText(item.author),
  };
}

async function ask(access: SearchAccess, path: string, body: object): Promise<JsonObject> {
  return await askService("Exa", access, path, {
    method: "POST",
    headers: { "x-api-key": access.key ?? "", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
