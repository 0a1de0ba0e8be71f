/** Gemini, spoken by hand: signatures must go back to the byte, on the parts they came with. */
import { stripTrailingSlashes } from "../../shared/trim.ts";
import type { Model, ModelRequest } from "../model.ts";
import { readGoogleReply } from "./google-reply.ts";
import { toGoogleBody, withoutSignatures } from "./google-request.ts";
import { post } from "./http.ts";
import { type AdapterAccess, speak } from "./protocol.ts";

export function createGoogleModel(access: AdapterAccess): Model {
  const bare = stripTrailingSlashes(access.baseUrl);
  const root = /\/v\d\w*$/.test(bare) ? bare : `${bare}/v1beta`;
  return speakGoogle(access, root, async () => ({ "x-goog-api-key": access.apiKey }));
}

/** `root` is what stands before `/models/…`; `authorize` gives the headers that say who asks. */
export function speakGoogle(
  access: AdapterAccess,
  root: string,
  authorize: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>,
): Model {
  return speak(
    {
      async send(request, without, signal) {
        const headers = { ...(await authorize(signal)), ...access.headers };
        const url = `${root}/models/${nameModel(request)}:streamGenerateContent?alt=sse`;
        const body = JSON.stringify(toGoogleBody(without.reasoning ? withoutSignatures(request) : request));
        return readGoogleReply(await post({ url, headers, body, fetch: access.fetch, signal }));
      },
      concede({ code, message }, without) {
        const isAboutSignature = code === "llm-bad-request" && /thought.?signature/i.test(message);
        return isAboutSignature && !without.reasoning ? { ...without, reasoning: true } : undefined;
      },
    },
    access,
  );
}

function nameModel({ config: { model } }: ModelRequest): string {
  return encodeURIComponent(model.replace(/^models\//, ""));
}
