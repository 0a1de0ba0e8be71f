/**
 * Stops reading a reply that grows past its limit. A provider that never stops would otherwise fill the memory of the
 * process, and again at each start, since the run is taken up again.
 */
import type { ContentPart } from "../shared/content.ts";
import { createModelError } from "./errors.ts";
import type { Model, ModelChunk, ModelReply, ModelRequest } from "./model.ts";
import type { Models } from "./providers.ts";

/** Far above what any model can say in one reply today: 1 MB is about 250,000 tokens. */
export const defaultMaxReplyBytes = 16 * 2 ** 20;

export function limitReplies(models: Models, maxBytes: number): Models {
  return {
    get(config, access) {
      const model = models.get(config, access);
      return { stream: (request, signal) => streamLimited(model, maxBytes, request, signal) };
    },
  };
}

/** Leaving the loop ends the adapter's own, which closes the connection. */
async function* streamLimited(
  model: Model,
  maxBytes: number,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  let bytes = 0;
  for await (const chunk of model.stream(request, signal)) {
    bytes = chunk.type === "reply" ? sizeOfReply(chunk.reply) : bytes + sizeOfPiece(chunk);
    if (bytes > maxBytes) throw tooLong(request, maxBytes);
    yield chunk;
  }
}

function tooLong({ config }: ModelRequest, maxBytes: number) {
  const provider = config.provider ?? config.model;
  const limit = maxBytes >= 2 ** 20 ? `${Math.round(maxBytes / 2 ** 20)} MB` : `${maxBytes} bytes`;
  const message = `the reply of ${provider} grew longer than ${limit} and was not read further; the limit is set with --max-reply-size`;
  return createModelError("llm-error", message, { provider, model: config.model });
}

function sizeOfPiece(chunk: Exclude<ModelChunk, { type: "reply" }>): number {
  switch (chunk.type) {
    case "text-delta":
    case "reasoning-delta":
      return Buffer.byteLength(chunk.text);
    case "tool-call-start":
      return Buffer.byteLength(chunk.name) + Buffer.byteLength(chunk.callId);
    case "tool-call-delta":
      return Buffer.byteLength(chunk.arguments);
  }
}

function sizeOfReply({ content, toolCalls }: ModelReply): number {
  const said = content.reduce((sum, part) => sum + sizeOfPart(part), 0);
  const called = toolCalls.map(
    ({ id, name, arguments: json }) => Buffer.byteLength(id + name) + Buffer.byteLength(json),
  );
  return called.reduce((sum, size) => sum + size, said);
}

/** Every text of the part, signatures and encrypted reasoning included. */
function sizeOfPart(part: ContentPart): number {
  const sizeOf = (value: unknown): number => {
    if (typeof value === "string") return Buffer.byteLength(value);
    if (typeof value !== "object" || value === null) return 0;
    return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 0);
  };
  return sizeOf(part);
}
