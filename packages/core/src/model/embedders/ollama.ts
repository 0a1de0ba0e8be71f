/** Ollama's own way, which is there in every version and takes many texts. */
import type { RemoteEmbedder } from "../embedder.ts";
import { keyHeader } from "../listing/chat-lists.ts";
import { serverRoot } from "../listing/local-servers.ts";
import { toFields } from "../listing/read-json.ts";
import { toVector } from "./openai.ts";

export function createOllamaEmbedder(): RemoteEmbedder {
  return {
    largestBatch: 64,
    async embedBatch(texts, server) {
      const body = { model: server.config.model, input: texts };
      const url = `${serverRoot(server.baseUrl)}/api/embed`;
      const answer = toFields(await server.ask(url, { headers: keyHeader(server), body }));
      return Array.isArray(answer.embeddings) ? answer.embeddings.map(toVector) : [];
    },
  };
}
