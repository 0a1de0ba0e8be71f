/** Asks a provider for its models, in the way its record names. */
import { MemoirError } from "../../shared/errors.ts";
import type { ProviderListing } from "../../shared/provider-row.ts";
import { findProviderRow } from "../../shared/provider-rows.ts";
import { stripTrailingSlashes } from "../../shared/trim.ts";
import { listCatalogued } from "../catalogue.ts";
import type { ProviderAccess } from "../model.ts";
import { listAnthropic } from "./anthropic.ts";
import { askServer } from "./ask-server.ts";
import { listAzure } from "./azure.ts";
import { listBedrock } from "./bedrock.ts";
import { chatLists } from "./chat-lists.ts";
import { listGoogle } from "./google.ts";
import type { ListedModel, ListModels } from "./listed-model.ts";
import { listLmStudio, listOllama, serverRoot } from "./local-servers.ts";
import { listOpenAi } from "./openai.ts";

const lists: Readonly<Record<Exclude<ProviderListing, "catalogue">, ListModels>> = {
  ...chatLists,
  openai: listOpenAi,
  anthropic: listAnthropic,
  google: listGoogle,
  ollama: listOllama,
  lmstudio: listLmStudio,
  azure: listAzure,
  bedrock: listBedrock,
};

/** Local servers either answer at once or are not there. */
const localMs = 2_000;
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
  return findList(type) !== undefined;
}

function findList(type: string): ListModels | undefined {
  const { listing = "catalogue" } = findProviderRow(type) ?? {};
  return listing === "catalogue" ? undefined : lists[listing];
}

export async function listProvider(provider: NamedProvider, fetch: typeof globalThis.fetch): Promise<ListedModel[]> {
  const { name, type, access } = provider;
  const list = findList(type);
  if (!list) return listCatalogued(type);
  const baseUrl = apiAddress(type, access);
  if (baseUrl === "" && type !== "bedrock") {
    throw new MemoirError("invalid-argument", `the provider "${name}" needs an address: give it a base_url`, {
      details: { field: "base_url" },
    });
  }
  const timeoutMs = findProviderRow(type)?.quirks?.isLocal ? localMs : defaultMs;
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
