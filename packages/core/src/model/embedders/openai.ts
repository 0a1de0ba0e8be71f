/** `POST /embeddings` in OpenAI's form, which most servers speak. */
import type { RemoteEmbedder } from "../embedder.ts";
import { keyHeader } from "../listing/chat-lists.ts";
import { toFields, toList } from "../listing/read-json.ts";

export function createOpenAiEmbedder(): RemoteEmbedder {
  return {
    largestBatch: 2048,
    async embedBatch(texts, server) {
      const body = { model: server.config.model, input: texts, encoding_format: "float" };
      return readEmbeddings(await server.ask(`${server.baseUrl}/embeddings`, { headers: keyHeader(server), body }));
    },
  };
}

/** By their index: the order of the answer is not promised. */
export function readEmbeddings(answer: unknown): number[][] {
  const items = toList(toFields(answer).data).map((item, position) => ({
    index: typeof item.index === "number" ? item.index : position,
    vector: toVector(item.embedding),
  }));
  return items.sort((left, right) => left.index - right.index).map(({ vector }) => vector);
}

export function toVector(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}
