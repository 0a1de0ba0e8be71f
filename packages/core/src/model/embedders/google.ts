/** Google AI: many texts in one request, each with the model and the wanted length. */
import type { RemoteEmbedder } from "../embedder.ts";
import { googleRoot } from "../listing/google.ts";
import { toFields, toList } from "../listing/read-json.ts";
import { toVector } from "./openai.ts";

export function createGoogleEmbedder(): RemoteEmbedder {
  return {
    largestBatch: 100,
    async embedBatch(texts, { config, access, baseUrl, ask }) {
      const model = `models/${config.model}`;
      // The newer models make longer vectors unless told how long.
      const length = /^gemini-embedding/.test(config.model) ? { outputDimensionality: config.dimension } : {};
      const requests = texts.map((text) => ({ model, content: { parts: [{ text }] }, ...length }));
      const answer = await ask(`${googleRoot(baseUrl)}/${model}:batchEmbedContents`, {
        headers: { "x-goog-api-key": access.apiKey ?? "" },
        body: { requests },
      });
      return toList(toFields(answer).embeddings).map(({ values }) => normalize(toVector(values)));
    },
  };
}

/** Vectors that were cut short by the service are no longer of length one. */
function normalize(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? [...vector] : vector.map((value) => value / length);
}
