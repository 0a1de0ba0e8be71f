/** A request as text and as a hash, for models that are not reached over HTTP: always in the same order. */
import { createHash } from "node:crypto";
import type { ModelRequest } from "../../model/model.ts";
import type { PromptMessage } from "../../shared/content.ts";

export function toRequestText({ messages, ...rest }: ModelRequest): string {
  return JSON.stringify({ ...inOrder(rest), messages });
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Kept with the messages, which stay the same from step to step: a long context is not read through each time. */
const digests = new WeakMap<PromptMessage, Buffer>();

function digestOf(message: PromptMessage): Buffer {
  const known = digests.get(message);
  if (known) return known;
  const digest = createHash("sha256").update(JSON.stringify(message)).digest();
  digests.set(message, digest);
  return digest;
}

export function hashRequest({ messages, ...rest }: ModelRequest): string {
  const head = JSON.stringify(inOrder(rest));
  return createHash("sha256")
    .update(head)
    .update(Buffer.concat(messages.map(digestOf)))
    .digest("hex");
}

function inOrder(request: Omit<ModelRequest, "messages">): Omit<ModelRequest, "messages"> {
  const { config, toolChoice, parallelToolCalls, responseFormat, user, system, tools } = request;
  return {
    config,
    toolChoice,
    parallelToolCalls,
    responseFormat,
    ...(user === undefined ? {} : { user }),
    system,
    tools,
  };
}
