/** The way from a config to a provider: which row, which address, whose key. A key only goes where it belongs. */
import type { ModelConfig } from "../shared/model-config.ts";
import type { ProviderRow } from "../shared/provider-row.ts";
import { compatibleRow, currentProviderName, findProviderRow } from "../shared/provider-rows.ts";
import { stripTrailingSlashes } from "../shared/trim.ts";
import type { ProviderAccess } from "./model.ts";

export interface Route {
  readonly row: ProviderRow;
  /** For messages to people. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What only some providers need. */
  readonly accessKey?: string;
  readonly region?: string;
  readonly apiVersion?: string;
  readonly project?: string;
  readonly location?: string;
  /** Its user stored it: it must not use what the machine itself may use. */
  readonly isStored: boolean;
  /** The address was given by a caller of the API. */
  readonly isForeign: boolean;
}

export type Refusal = { readonly refusal: string };

/** What servers that ask for no key are sent: the packages insist on one. */
const placeholderKey = "none";

export function findRoute(config: ModelConfig, access: ProviderAccess = {}, isStored = false): Route | Refusal {
  const { type } = access;
  const provider = nameProvider(config);
  const row =
    type === undefined ? (findProviderRow(provider) ?? findProviderRow(config.endpointKind)) : findProviderRow(type);
  if (!row) return { refusal: `Memoir cannot speak to models of "${type ?? provider}"` };
  const base = { row, provider, isStored, isForeign: access.isForeign ?? false };
  const own = config.handle === null ? config.endpoint : null;
  if (!access.baseUrl && own !== null && hasEndpoint(row) && !isSameHost(own, row.baseUrl)) {
    // An address a caller made up must not be sent the keys of whoever runs this.
    const baseUrl = addPath(row, own);
    return {
      ...base,
      row: chooseRow(row, config, baseUrl),
      baseUrl,
      apiKey: placeholderKey,
      headers: {},
      isForeign: true,
    };
  }
  const isNamed = row.type === provider || type !== undefined;
  return toRoute(base, config, access, isNamed);
}

export function nameProvider({ provider, handle, endpointKind }: ModelConfig): string {
  return currentProviderName(provider ?? handle?.split("/", 1)[0] ?? endpointKind);
}

type Base = Pick<Route, "row" | "provider" | "isStored" | "isForeign">;

function toRoute(base: Base, config: ModelConfig, access: ProviderAccess, isNamed: boolean): Route | Refusal {
  const { row, provider } = base;
  const { headers = {}, accessKey, region, apiVersion, project, location } = access;
  const extras = {
    ...(accessKey ? { accessKey } : {}),
    ...(region ? { region } : {}),
    ...(apiVersion ? { apiVersion } : {}),
    ...(project ? { project } : {}),
    ...(location ? { location } : {}),
  };
  switch (row.adapter) {
    case "demo":
      return { ...base, baseUrl: "", apiKey: "", headers };
    case "bedrock": {
      if (!access.apiKey) return { refusal: askForKey(row, provider, isNamed) };
      return { ...base, ...extras, baseUrl: access.baseUrl ?? "", apiKey: access.apiKey, headers };
    }
    case "vertex": {
      const missing = `the provider "${provider}" needs GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION`;
      if (!project || !location) return { refusal: missing };
      if (!access.apiKey && base.isStored) return { refusal: askForKey(row, provider, isNamed) };
      return { ...base, ...extras, baseUrl: access.baseUrl ?? "", apiKey: access.apiKey ?? "", headers };
    }
    default: {
      // What runs on the machine of the operator is not every user's.
      const usual = row.quirks?.isLocal && base.isStored ? null : row.baseUrl;
      const url = access.baseUrl || (isNamed ? usual : null);
      if (!url) return { refusal: askForAddress(row, provider, isNamed) };
      if (!access.apiKey && needsKey(row, url)) return { refusal: askForKey(row, provider, isNamed) };
      const baseUrl = addPath(row, url);
      const chosen = chooseRow(row, config, baseUrl);
      return { ...base, ...extras, row: chosen, baseUrl, apiKey: access.apiKey || placeholderKey, headers };
    }
  }
}

/** Bedrock and Vertex have no address: it follows from the region. */
function hasEndpoint({ adapter }: ProviderRow): boolean {
  return adapter !== "bedrock" && adapter !== "vertex" && adapter !== "demo";
}

function needsKey(row: ProviderRow, url: string): boolean {
  return !row.quirks?.isLocal && (row.adapter === "azure" || isSameHost(url, row.baseUrl));
}

/** Local servers are named with and without the path of their API. */
function addPath({ quirks, type }: ProviderRow, url: string): string {
  const bare = stripTrailingSlashes(url);
  if (!quirks?.isLocal || type === compatibleRow.type) return bare;
  return `${bare.replace(/\/(v1|api|api\/v0)$/, "")}/v1`;
}

/** Behind another address than OpenAI's, a model that does not bear a name of theirs is somebody else's server. */
function chooseRow(row: ProviderRow, { model }: ModelConfig, url: string): ProviderRow {
  const isOwn = row.adapter !== "openai" || isSameHost(url, row.baseUrl);
  return isOwn || /^(gpt-(?!oss)|o\d|chatgpt-|ft:)/.test(model) ? row : compatibleRow;
}

function isSameHost(url: string, other: string | null): boolean {
  return other !== null && URL.parse(url)?.host === URL.parse(other)?.host;
}

function askForAddress({ baseUrlVariables }: ProviderRow, provider: string, isNamed: boolean): string {
  const [variable] = baseUrlVariables;
  const remedy = variable && isNamed ? `set ${variable}` : "store one with its address and key";
  return `the provider "${provider}" is not configured: it has no address; ${remedy}`;
}

function askForKey({ keyVariables }: ProviderRow, provider: string, isNamed: boolean): string {
  const remedy = isNamed
    ? `set ${keyVariables[0]}, or hand it in as providers.${provider}.apiKey`
    : "store one with it";
  return `the provider "${provider}" needs a key: ${remedy}`;
}
