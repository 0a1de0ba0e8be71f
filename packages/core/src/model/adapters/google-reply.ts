/** Gemini's streamed answers as pieces of a reply. Calls come whole and often without ids, signatures with what follows a thought. */
import { randomBytes } from "node:crypto";
import { toCount, toRecord } from "./fields.ts";
import type { PackagePart, PackageUsage } from "./package-types.ts";
import { readEvents } from "./server-sent-events.ts";

export async function* readGoogleReply(response: Response): AsyncGenerator<PackagePart> {
  let finish: string | undefined;
  let usage: unknown;
  let hasText = false;
  for await (const event of readEvents(response)) {
    const chunk = toRecord(JSON.parse(event));
    throwIfError(chunk);
    usage = chunk.usageMetadata ?? usage;
    const [candidate] = Array.isArray(chunk.candidates) ? chunk.candidates : [];
    const { content, finishReason } = toRecord(candidate);
    const { parts } = toRecord(content);
    for (const part of Array.isArray(parts) ? parts : []) {
      for (const piece of toPieces(toRecord(part), hasText)) {
        hasText ||= piece.type === "text-delta";
        yield piece;
      }
    }
    const { blockReason } = toRecord(chunk.promptFeedback);
    if (typeof finishReason === "string") finish = finishReason;
    else if (typeof blockReason === "string") finish ??= blockReason;
  }
  if (finish === undefined) return;
  throwIfMalformed(finish);
  yield { type: "finish", finishReason: { unified: nameFinish(finish), raw: finish }, usage: toUsage(usage) };
}

function toPieces(part: Readonly<Record<string, unknown>>, hasText: boolean): PackagePart[] {
  const { text, thought, functionCall, thoughtSignature } = part;
  const signed = typeof thoughtSignature === "string" ? { providerMetadata: { google: { thoughtSignature } } } : {};
  if (functionCall !== undefined) {
    const { name, args, id } = toRecord(functionCall);
    const toolCallId = typeof id === "string" && id !== "" ? id : `call_${randomBytes(12).toString("hex")}`;
    return [{ type: "tool-call", toolCallId, toolName: String(name), input: JSON.stringify(args ?? {}), ...signed }];
  }
  if (typeof text !== "string") return [];
  if (thought === true) return [{ type: "reasoning-delta", id: "thought", delta: text }];
  // A signature may come alone, after the text it belongs to.
  return text !== "" || hasText ? [{ type: "text-delta", id: "text", delta: text, ...signed }] : [];
}

function throwIfError({ error }: Readonly<Record<string, unknown>>): void {
  if (error === undefined) return;
  const { code, message, status } = toRecord(error);
  throw Object.assign(new Error(String(message)), {
    type: status,
    ...(typeof code === "number" ? { statusCode: code } : {}),
  });
}

/** The model tried to call a tool and garbled it; asked again, it usually succeeds. */
function throwIfMalformed(finish: string): void {
  if (finish === "MALFORMED_FUNCTION_CALL" || finish === "UNEXPECTED_TOOL_CALL") {
    throw new Error(`the model made a call that cannot be read (${finish})`);
  }
}

type Unified = Extract<PackagePart, { type: "finish" }>["finishReason"]["unified"];

function nameFinish(reason: string): Unified {
  switch (reason) {
    case "STOP":
      return "stop";
    case "MAX_TOKENS":
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "IMAGE_SAFETY":
      return "content-filter";
    default:
      return "other";
  }
}

function toUsage(usage: unknown): PackageUsage {
  const fields = toRecord(usage);
  const thoughts = toCount(fields.thoughtsTokenCount);
  const spoken = toCount(fields.candidatesTokenCount);
  const total = thoughts === undefined && spoken === undefined ? undefined : (thoughts ?? 0) + (spoken ?? 0);
  const prompt = toCount(fields.promptTokenCount);
  return {
    inputTokens: {
      total: prompt,
      noCache: undefined,
      cacheRead: toCount(fields.cachedContentTokenCount),
      cacheWrite: undefined,
    },
    // Nothing said is counted by leaving it out.
    outputTokens: { total: total ?? (prompt === undefined ? undefined : 0), text: spoken, reasoning: thoughts },
  };
}
