/** Paths of the old server, with everything below them, that are not part of its documented operations and not served here. */
import type { FastifyInstance } from "fastify";
import { notYet } from "../shared/not-yet.ts";

const unserved: Readonly<Record<string, string>> = {
  "/v1/git": "Memoir does not serve memory as a git repository yet. Read and write blocks under /v1/blocks/.",
  "/v1/anthropic":
    "Memoir does not pass requests on to Anthropic yet. Send messages to an agent, or call the provider itself.",
  "/v1/zai": "Memoir does not pass requests on to Z.ai yet. Send messages to an agent, or call the provider itself.",
};

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Answers before a body is read: git sends some that are not JSON. */
export function answerUnserved(app: FastifyInstance): void {
  for (const [prefix, sentence] of Object.entries(unserved)) {
    const refuse = async () => {
      throw notYet(sentence);
    };
    for (const url of [prefix, `${prefix}/*`]) app.route({ method: methods, url, onRequest: refuse, handler: refuse });
  }
}
