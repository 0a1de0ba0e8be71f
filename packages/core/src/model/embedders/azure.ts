/** Azure: OpenAI's form, at a deployment or at the newer surface that names it in the body. */
import type { RemoteEmbedder } from "../embedder.ts";
import { azureRoot } from "../listing/azure.ts";
import { readEmbeddings } from "./openai.ts";

const defaultVersion = "2024-09-01-preview";

export function createAzureEmbedder(): RemoteEmbedder {
  return {
    largestBatch: 2048,
    async embedBatch(texts, { config, access, baseUrl, ask }) {
      const headers = { "api-key": access.apiKey ?? "" };
      const deployment = config.azureDeployment ?? config.model;
      if (baseUrl.endsWith("/openai/v1")) {
        return readEmbeddings(
          await ask(`${baseUrl}/embeddings`, { headers, body: { model: deployment, input: texts } }),
        );
      }
      const version = access.apiVersion ?? config.azureVersion ?? defaultVersion;
      const place = `${azureRoot(baseUrl)}/openai/deployments/${encodeURIComponent(deployment)}`;
      const url = `${place}/embeddings?api-version=${encodeURIComponent(version)}`;
      return readEmbeddings(await ask(url, { headers, body: { input: texts } }));
    },
  };
}
