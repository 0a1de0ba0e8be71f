/** Asks a provider of any kind for its models: one row a kind. */
import { MemoirError } from "../../shared/errors.ts";
import { stripTrailingSlashes } from "../../shared/trim.ts";
import { listCatalogued } from "../catalogue.ts";
import type { ProviderAccess } from "../model.ts";
import { findProviderRow } from "../provider-rows.ts";
import { listAnthropic } from "./anthropic.ts";
import { askServer } from "./ask-server.ts";
import { listAzure } from "./azure.ts";
import { listBedrock } from "./bedrock.ts";
import { chatLists } from "./chat-lists.ts";
import { listGoogle } from "./google.ts";
import type { ListedModel, ListModels } from "./listed-model.ts";
import { listLmStudio, listOllama, serverRoot } from "./local-servers.ts";
import { listOpenAi } from "./openai.ts";

const lists: Readonly<Record<string, ListModels>> = {
  ...chatLists,
  openai: listOpenAi,
  anthropic: listAnthropic,
  google_ai: listGoogle,
  ollama: listOllama,
  lmstudio_openai: listLmStudio,
  azure: listAzure,
  bedrock: listBedrock,
};

/** On the same machine or next to it: either they answer at once, or they are not there. */
const nearby: ReadonlySet<string> = new Set(["ollama", "lmstudio_openai", "vllm", "sglang"]);
const nearbyMs = 2_000;
const defaultMs = 10_000;

export interface NamedProvider {
  /** What handles begin with. */
  readonly name: string;
  readonly type: string;
  readonly access: ProviderAccess;
  /** Nobody named it: it may well not be there. */
  readonly isGuessed?: boolean;
}

/** True where the list is the provider's answer; false where it can only be ours. */
export function canList(type: string): boolean {
  return lists[type] !== undefined;
}

export async function listProvider(provider: NamedProvider, fetch: typeof globalThis.fetch): Promise<ListedModel[]> {
  const { name, type, access } = provider;
  const list = lists[type];
  if (!list) return listCatalogued(type);
  const baseUrl = apiAddress(type, access);
  if (baseUrl === "" && type !== "bedrock") {
    throw new MemoirError("invalid-argument", `the provider "${name}" needs an address: give it a base_url`, {
      details: { field: "base_url" },
    });
  }
  const timeoutMs = nearby.has(type) ? nearbyMs : defaultMs;
  const asking = { provider: name, access, fetch, timeoutMs };
  return await list({ access, baseUrl, ask: (url, request) => askServer(asking, url, request) });
}

/** Where its API begins, without a slash at the end; empty when nobody says. */
export function apiAddress(type: string, { baseUrl }: ProviderAccess): string {
  const row = findProviderRow(type);
  const address = stripTrailingSlashes(baseUrl || row?.baseUrl || "");
  // Local servers are named with and without the path of their API.
  return row?.quirks?.isLocal && address !== "" ? `${serverRoot(address)}/v1` : address;
}
