/** Bedrock: models are reached through inference profiles, of which a region has its own and some are for everywhere. */

import { signRequest } from "../adapters/aws-signature.ts";
import type { ProviderAccess } from "../model.ts";
import { llm } from "./chat-lists.ts";
import type { ListedModel, ListModels } from "./listed-model.ts";
import { toFields, toList, toText } from "./read-json.ts";

const maxPages = 20;

export const listBedrock: ListModels = async (server) => {
  const { region = "us-east-1", baseUrl } = server.access;
  // An address of one's own is for both services; the usual ones differ in their host.
  const root = baseUrl ? server.baseUrl : `https://bedrock.${region}.amazonaws.com`;
  const names: string[] = [];
  let token: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const cursor = token === undefined ? "" : `&nextToken=${encodeURIComponent(token)}`;
    const url = `${root}/inference-profiles?maxResults=1000${cursor}`;
    const answer = toFields(await server.ask(url, { headers: prove(server.access, url, region) }));
    const active = toList(answer.inferenceProfileSummaries).filter(({ status }) => status !== "INACTIVE");
    names.push(...active.flatMap((profile) => toText(profile.inferenceProfileId) ?? []));
    token = toText(answer.nextToken);
    if (token === undefined) break;
  }
  return preferRegional(names).map(readProfile);
};

/** A key alone is a bearer's; one with an id signs, together with the token of one that is only lent. */
function prove(access: ProviderAccess, url: string, region: string): Record<string, string> {
  const { accessKey, apiKey = "", headers = {} } = access;
  if (!accessKey) return { authorization: `Bearer ${apiKey}` };
  const key = { accessKey, secretKey: apiKey, region, service: "bedrock" };
  return signRequest("GET", { url, headers, body: "" }, key, new Date());
}

const everywhere = "global.";

/** Of a model that is there under both, the region's own. */
function preferRegional(names: readonly string[]): string[] {
  const bare = (name: string) => name.slice(name.indexOf(".") + 1);
  const regional = new Set(names.filter((name) => !name.startsWith(everywhere)).map(bare));
  return names.filter((name) => !name.startsWith(everywhere) || !regional.has(bare(name)));
}

/** Handles name the profile; the model goes by its plain name, as at Anthropic. */
function readProfile(profile: string): ListedModel {
  const start = profile.indexOf("claude-");
  const claude = start < 0 ? undefined : /^[a-z\d.-]+?(?=-v\d|:|$)/.exec(profile.slice(start))?.[0];
  return llm(claude ?? profile, claude ? 200_000 : 100_000, { shortName: profile });
}
