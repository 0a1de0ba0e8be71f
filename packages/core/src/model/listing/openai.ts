/** OpenAI's own list, and those of servers that stand in for it. */
import { findCatalogueEmbedding, findCatalogueModel } from "../catalogue.ts";
import { listChatModels, llm } from "./chat-lists.ts";
import type { ListedModel, ListModels } from "./listed-model.ts";
import { type Fields, findSize } from "./read-json.ts";

const agentModels = /^(gpt-4|gpt-5|o1|o3|o4)/;
const otherUses = /transcribe|search|realtime|tts|audio|computer|image|^o1-(mini|preview|pro)/;

const listOwn = listChatModels({
  read: (_model, name) => {
    if (findCatalogueEmbedding("openai", name)) return embedding(name);
    return agentModels.test(name) && !otherUses.test(name) ? llm(name, windowOf(name)) : undefined;
  },
});

/** Another server's names are its own business: all are listed, and its figures count before ours. */
const listOthers = listChatModels({
  read: (model, name) => (/embed/i.test(name) ? embedding(name) : llm(name, readWindow(model) ?? windowOf(name))),
});

export const listOpenAi: ListModels = async (server) => {
  const isOwn = URL.parse(server.baseUrl)?.host === "api.openai.com";
  const models = await (isOwn ? listOwn : listOthers)(server);
  return models.flatMap((model) => (model.name === "gpt-5.4" ? [model, { ...model, name: "gpt-5.4-fast" }] : model));
};

function readWindow(model: Fields): number | undefined {
  return findSize(model, "max_model_len", "context_length", "context_window", "max_context_length");
}

function embedding(name: string): ListedModel {
  const dimension = findCatalogueEmbedding("openai", name)?.dimension;
  return { kind: "embedding", name, ...(dimension === undefined ? {} : { dimension }) };
}

/** Dated and otherwise extended names have the window of the longest known name they begin with. */
export function windowOf(name: string): number | undefined {
  for (let base = name; base !== ""; base = base.slice(0, Math.max(0, base.lastIndexOf("-")))) {
    const known = findCatalogueModel("openai", base);
    if (known) return known.contextWindow;
  }
  return undefined;
}
