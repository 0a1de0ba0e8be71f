/** Azure: what can be asked are deployments, under names of their owner's choice. */
import { llm } from "./chat-lists.ts";
import type { ListedModel, ListModels } from "./listed-model.ts";
import { windowOf } from "./openai.ts";
import { type Fields, toFields, toList, toText } from "./read-json.ts";

/** Later versions of the service no longer list deployments. */
const listingVersion = "2023-03-15-preview";

export const listAzure: ListModels = async (server) => {
  const root = azureRoot(server.baseUrl);
  const headers = { "api-key": server.access.apiKey ?? "" };
  const ask = async (path: string) =>
    toList(toFields(await server.ask(`${root}/openai/${path}?api-version=${listingVersion}`, { headers })).data);
  const [deployments, models] = await Promise.all([ask("deployments"), ask("models")]);
  const abilities = new Map(models.map((model) => [toText(model.id), toFields(model.capabilities)]));
  return deployments.flatMap((deployment) => readDeployment(deployment, abilities));
};

/** The resource itself, whichever surface of it the address names. */
export function azureRoot(baseUrl: string): string {
  return baseUrl.replace(/\/openai(\/v1)?$/, "");
}

function readDeployment(deployment: Fields, abilities: ReadonlyMap<string | undefined, Fields>): ListedModel[] {
  const name = toText(deployment.id);
  const model = toText(deployment.model) ?? "";
  if (name === undefined || (deployment.status !== undefined && deployment.status !== "succeeded")) return [];
  const { chat_completion: talks, embeddings: embeds } = abilities.get(model) ?? {};
  if (embeds === true || model.includes("embedding")) return [{ kind: "embedding", name }];
  return talks === false ? [] : [llm(name, windowOf(model))];
}
