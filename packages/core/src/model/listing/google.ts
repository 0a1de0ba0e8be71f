/** Google AI's list: models that talk and models that embed. */
import { findCatalogueEmbedding } from "../catalogue.ts";
import { llm } from "./chat-lists.ts";
import type { ListedModel, ListModels } from "./listed-model.ts";
import { type Fields, findSize, toFields, toList, toText, toTexts } from "./read-json.ts";

const maxPages = 20;
/** What its embeddings have unless more is asked for. */
const defaultDimension = 768;

export const listGoogle: ListModels = async (server) => {
  const headers = { "x-goog-api-key": server.access.apiKey ?? "" };
  const models: ListedModel[] = [];
  let token: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const cursor = token === undefined ? "" : `&pageToken=${encodeURIComponent(token)}`;
    const url = `${googleRoot(server.baseUrl)}/models?pageSize=1000${cursor}`;
    const answer = toFields(await server.ask(url, { headers }));
    models.push(...toList(answer.models).flatMap(readModel));
    token = toText(answer.nextPageToken);
    if (token === undefined) break;
  }
  return models;
};

/** Addresses are given with and without the version. */
export function googleRoot(baseUrl: string): string {
  return /\/v1(beta|alpha)?$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`;
}

function readModel(model: Fields): ListedModel[] {
  const name = toText(model.name)?.replace(/^models\//, "");
  const methods = toTexts(model.supportedGenerationMethods);
  if (name === undefined) return [];
  if (methods.includes("embedContent")) {
    const dimension = findCatalogueEmbedding("google_ai", name)?.dimension ?? defaultDimension;
    return [{ kind: "embedding", name, dimension }];
  }
  if (!name.startsWith("gemini-") || !methods.includes("generateContent")) return [];
  return [llm(name, findSize(model, "inputTokenLimit"))];
}
