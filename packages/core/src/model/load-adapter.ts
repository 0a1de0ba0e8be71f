/** The adapter of a provider row, imported when it is first needed. */
import type { Model } from "./model.ts";
import type { Route } from "./provider-route.ts";

export async function loadAdapter(route: Route, fetch: typeof globalThis.fetch): Promise<Model> {
  const { row, provider, baseUrl, apiKey, headers } = route;
  const access = { provider, baseUrl, apiKey, headers, fetch };
  switch (row.adapter) {
    case "openai":
      return (await import("./adapters/openai.ts")).createOpenAiModel(access);
    case "azure":
      return (await import("./adapters/azure.ts")).createAzureModel(access, route.apiVersion);
    case "anthropic":
      return (await import("./adapters/anthropic.ts")).createAnthropicModel(access, row.takesBetas === false);
    case "google":
      return (await import("./adapters/google.ts")).createGoogleModel(access);
    case "vertex":
      return (await import("./adapters/vertex.ts")).createVertexModel(access, route);
    case "bedrock":
      return (await import("./adapters/bedrock.ts")).createBedrockModel(access, route);
    case "compatible":
      return (await import("./adapters/compatible.ts")).createCompatibleModel(access, row.quirks);
    case "demo":
      return (await import("./demo.ts")).createDemoModel();
  }
}
