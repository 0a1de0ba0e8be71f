/** Bedrock's stream of events as pieces of a reply. */
import { readAwsEvents } from "./aws-events.ts";
import { type Fields, toCount, toRecord } from "./fields.ts";
import type { PackagePart, PackageUsage } from "./package-types.ts";

export async function* readConverseReply(response: Response): AsyncGenerator<PackagePart> {
  const calls = new Map<unknown, { readonly id: string; readonly name: string; input: string }>();
  let stop: string | undefined;
  let usage: unknown;
  for await (const { headers, payload } of readAwsEvents(response.body ?? new ReadableStream())) {
    const event = toRecord(JSON.parse(payload || "{}"));
    throwIfFailed(headers, event);
    const { contentBlockIndex: place, delta, start } = event;
    switch (headers[":event-type"]) {
      case "contentBlockStart": {
        const { toolUseId, name } = toRecord(toRecord(start).toolUse);
        if (typeof name !== "string") break;
        calls.set(place, { id: String(toolUseId), name, input: "" });
        yield { type: "tool-input-start", id: String(toolUseId), toolName: name };
        break;
      }
      case "contentBlockDelta": {
        const call = calls.get(place);
        const { input } = toRecord(toRecord(toRecord(delta).toolUse));
        if (call && typeof input === "string") {
          call.input += input;
          yield { type: "tool-input-delta", id: call.id, delta: input };
        } else yield* toPieces(toRecord(delta), String(place));
        break;
      }
      case "contentBlockStop": {
        const call = calls.get(place);
        if (call) yield { type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.input || "{}" };
        break;
      }
      case "messageStop":
        stop = String(event.stopReason);
        break;
      case "metadata":
        usage = event.usage;
        break;
    }
  }
  if (stop === undefined) return;
  yield { type: "finish", finishReason: { unified: nameStop(stop), raw: stop }, usage: toUsage(toRecord(usage)) };
}

/** Signatures are kept where Claude's own protocol keeps them: it is the same model that will read them. */
function toPieces({ text, reasoningContent }: Fields, place: string): PackagePart[] {
  if (typeof text === "string") return [{ type: "text-delta", id: place, delta: text }];
  const { text: thought, signature, redactedContent } = toRecord(reasoningContent);
  if (typeof thought === "string") return [{ type: "reasoning-delta", id: place, delta: thought }];
  const sealed = { ...toField("signature", signature), ...toField("redactedData", redactedContent) };
  if (Object.keys(sealed).length === 0) return [];
  return [{ type: "reasoning-delta", id: place, delta: "", providerMetadata: { anthropic: sealed } }];
}

function toField(name: string, value: unknown): Record<string, string> {
  return typeof value === "string" ? { [name]: value } : {};
}

const statuses: Readonly<Record<string, number>> = {
  throttlingException: 429,
  serviceUnavailableException: 503,
  modelTimeoutException: 408,
  validationException: 400,
};

function throwIfFailed(headers: Readonly<Record<string, string>>, event: Fields): void {
  const kind = headers[":message-type"];
  if (kind !== "exception" && kind !== "error") return;
  const type = headers[":exception-type"] ?? headers[":error-code"] ?? "";
  const message = event.message ?? headers[":error-message"] ?? type;
  const statusCode = statuses[type];
  throw Object.assign(new Error(String(message)), { type, ...(statusCode === undefined ? {} : { statusCode }) });
}

type Unified = Extract<PackagePart, { type: "finish" }>["finishReason"]["unified"];

function nameStop(reason: string): Unified {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "tool_use":
      return "tool-calls";
    case "max_tokens":
      return "length";
    case "guardrail_intervened":
    case "content_filtered":
      return "content-filter";
    default:
      return "other";
  }
}

/** Input is counted apart from what was read from the cache and written to it. */
function toUsage({ inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens }: Fields): PackageUsage {
  const read = toCount(cacheReadInputTokens);
  const written = toCount(cacheWriteInputTokens);
  const fresh = toCount(inputTokens);
  return {
    inputTokens: {
      total: fresh === undefined ? undefined : fresh + (read ?? 0) + (written ?? 0),
      noCache: fresh,
      cacheRead: read,
      cacheWrite: written,
    },
    outputTokens: { total: toCount(outputTokens), text: undefined, reasoning: undefined },
    raw: { cache_read_input_tokens: read ?? null, cache_creation_input_tokens: written ?? null },
  };
}
