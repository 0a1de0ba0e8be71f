/** Anthropic's list, page by page. */
import { findCatalogueModel } from "../catalogue.ts";
import { llm } from "./chat-lists.ts";
import type { ListedModel, ListModels } from "./listed-model.ts";
import { toFields, toList, toText } from "./read-json.ts";

const maxPages = 20;

export const listAnthropic: ListModels = async (server) => {
  const root = server.baseUrl.replace(/\/v1$/, "");
  const headers = { "x-api-key": server.access.apiKey ?? "", "anthropic-version": "2023-06-01" };
  const models: ListedModel[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const cursor = after === undefined ? "" : `&after_id=${encodeURIComponent(after)}`;
    const answer = toFields(await server.ask(`${root}/v1/models?limit=1000${cursor}`, { headers }));
    models.push(...toList(answer.data).flatMap((model) => readModel(toText(model.id)) ?? []));
    after = toText(answer.last_id);
    if (answer.has_more !== true || after === undefined) break;
  }
  return models;
};

function readModel(name: string | undefined): ListedModel | undefined {
  if (name === undefined || name.startsWith("claude-2")) return undefined;
  return llm(name, findCatalogueModel("anthropic", name)?.contextWindow ?? 200_000);
}
