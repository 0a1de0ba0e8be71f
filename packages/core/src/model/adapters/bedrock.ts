/**
 * Models on Bedrock through Converse, one protocol for all of them. Spoken by hand: it is one request, one signature and
 * one binary stream, against 18 MB for the package that does the same.
 */
import type { MemoirError } from "../../shared/errors.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { stripTrailingSlashes } from "../../shared/trim.ts";
import type { Model } from "../model.ts";
import { signPost } from "./aws-signature.ts";
import { readConverseReply } from "./bedrock-reply.ts";
import { toConverseBody } from "./bedrock-request.ts";
import { post } from "./http.ts";
import { type AdapterAccess, type Concessions, speak } from "./protocol.ts";

export interface BedrockPlace {
  /** The id that belongs to the secret; without it the secret is a key that needs no signature. */
  readonly accessKey?: string;
  readonly region?: string;
}

const defaultRegion = "us-east-1";

export function createBedrockModel(access: AdapterAccess, { accessKey, region = defaultRegion }: BedrockPlace): Model {
  // A region becomes part of a host's name, so it must not be able to name another.
  const place = region.replaceAll(/[^a-z0-9-]/g, "");
  const root = stripTrailingSlashes(access.baseUrl) || `https://bedrock-runtime.${place}.amazonaws.com`;
  const authorize = (url: string, body: string): Record<string, string> => {
    const headers = { "content-type": "application/json", ...access.headers };
    if (!accessKey) return { ...headers, authorization: `Bearer ${access.apiKey}` };
    const key = { accessKey, secretKey: access.apiKey, region: place, service: "bedrock" };
    return signPost({ url, headers, body }, key, new Date());
  };
  return speak(
    {
      async send(request, without, signal) {
        const url = `${root}/model/${encodeURIComponent(nameModel(request.config))}/converse-stream`;
        const body = JSON.stringify(toConverseBody(request, without));
        const response = await post({ url, headers: authorize(url, body), body, fetch: access.fetch, signal });
        return readConverseReply(response);
      },
      concede,
    },
    access,
  );
}

/** Models are called through inference profiles, which handles name; a config may hold the model's plain name. */
function nameModel({ handle, model }: ModelConfig): string {
  const slash = handle?.indexOf("/") ?? -1;
  return handle && slash > 0 ? handle.slice(slash + 1) : model;
}

function concede({ code, message }: MemoirError, without: Concessions): Concessions | undefined {
  const isAboutThinking = /signature|`?(redacted_)?thinking`? block|expected `(redacted_)?thinking`/i.test(message);
  return code === "llm-bad-request" && !without.reasoning && isAboutThinking
    ? { ...without, reasoning: true }
    : undefined;
}
