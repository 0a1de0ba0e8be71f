/** Providers whose list is `GET /models` in OpenAI's form, each with what it adds to it. */
import type { ProviderListing } from "../../shared/provider-row.ts";
import { findCatalogueModel } from "../catalogue.ts";
import type { ListedModel, ListingServer, ListModels } from "./listed-model.ts";
import { type Fields, findSize, toFields, toList, toText, toTexts } from "./read-json.ts";

interface ChatList {
  readonly path?: string;
  readonly scheme?: string;
  /** Undefined leaves the model out. */
  read(model: Fields, name: string): ListedModel | undefined;
}

export function listChatModels({ path = "/models", scheme = "Bearer", read }: ChatList): ListModels {
  return async (server) => {
    const answer = await server.ask(`${server.baseUrl}${path}`, { headers: keyHeader(server, scheme) });
    // Together answers with the bare list.
    const models = Array.isArray(answer) ? toList(answer) : toList(toFields(answer).data);
    return models.flatMap((model) => {
      const name = toText(model.id);
      return (name === undefined ? undefined : read(model, name)) ?? [];
    });
  };
}

export function keyHeader({ access }: Pick<ListingServer, "access">, scheme = "Bearer"): Record<string, string> {
  return access.apiKey ? { authorization: `${scheme} ${access.apiKey}` } : {};
}

export function llm(name: string, contextWindow?: number, more: Partial<ListedModel> = {}): ListedModel {
  return { kind: "llm", name, ...(contextWindow === undefined ? {} : { contextWindow }), ...more };
}

const noTools = "it cannot call tools, which agents need";

const listTogether = listChatModels({
  read: (model, name) => {
    const window = findSize(model, "context_length");
    if (model.type !== "chat" || window === undefined || window <= 4096) return undefined;
    return llm(name, window);
  },
});

const listGroq = listChatModels({
  read: (model, name) => {
    const window = findSize(model, "context_window");
    return window === undefined || model.active === false ? undefined : llm(name, window);
  },
});

const listOpenRouter = listChatModels({
  read: (model, name) => {
    const hasTools = toTexts(model.supported_parameters).includes("tools");
    return llm(name, findSize(model, "context_length") ?? 128_000, hasTools ? {} : { refusal: noTools });
  },
});

const listBaseten = listChatModels({
  scheme: "Api-Key",
  read: (model, name) => {
    const hasTools = toTexts(model.supported_features).includes("tools");
    return llm(name, findSize(model, "context_length"), hasTools ? {} : { refusal: noTools });
  },
});

const listMistral = listChatModels({
  read: (model, name) => {
    const { completion_chat: talks, function_calling: hasTools } = toFields(model.capabilities);
    if (talks !== true) return undefined;
    return llm(name, findSize(model, "max_context_length"), hasTools === true ? {} : { refusal: noTools });
  },
});

const listCerebras = listChatModels({
  read: (model, name) => llm(name, findSize(model, "context_length", "max_context_length") ?? 8192),
});

const listVllm = listChatModels({ read: (model, name) => llm(name, findSize(model, "max_model_len")) });

const listSglang = listChatModels({ read: (model, name) => llm(name, findSize(model, "max_model_len") ?? 32_768) });

const grokWindows: readonly [RegExp, number][] = [
  [/^grok-3/, 131_072],
  [/^grok-4-fast/, 2_000_000],
  [/^grok-(4-0709|code-fast-1)$/, 256_000],
];

const listXai = listChatModels({
  read: (_model, name) => {
    if (!name.startsWith("grok-") || /image|imagine|video/.test(name)) return undefined;
    return llm(name, grokWindows.find(([pattern]) => pattern.test(name))?.[1]);
  },
});

/** Their lists say nothing but names: what is known of those is in the catalogue. */
const listKnown = (type: string) =>
  listChatModels({
    read: (_model, name) => {
      const known = findCatalogueModel(type, name);
      return known && llm(name, known.contextWindow);
    },
  });

const listPlain = listChatModels({
  read: (model, name) => llm(name, findSize(model, "context_length", "context_window", "max_model_len")),
});

/** By the `listing` of a provider's record. */
export const chatLists = {
  together: listTogether,
  groq: listGroq,
  openrouter: listOpenRouter,
  baseten: listBaseten,
  mistral: listMistral,
  cerebras: listCerebras,
  vllm: listVllm,
  sglang: listSglang,
  xai: listXai,
  deepseek: listKnown("deepseek"),
  plain: listPlain,
} satisfies Partial<Record<ProviderListing, ListModels>>;
