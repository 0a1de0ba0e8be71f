/** Anthropic as a script: Messages, streamed or whole, in the format of the real service. */
import {
  defaultWireUsage,
  type Protocol,
  type Script,
  type ScriptedServer,
  splitAwkwardly,
  startScriptedServer,
  type WireAnswer,
  type WireFailure,
  type WireRequest,
} from "./scripted-server.ts";

export interface ScriptedAnthropic extends ScriptedServer {
  readonly baseUrl: string;
}

export async function startScriptedAnthropic(script: Script = []): Promise<ScriptedAnthropic> {
  const server = await startScriptedServer(protocol, script);
  return { ...server, baseUrl: `${server.origin}/v1` };
}

/** Refusals and outages as the service words them. */
export const anthropicFailures = {
  overflow: fail(400, "invalid_request_error", "prompt is too long: 210042 tokens > 200000 maximum"),
  overflowWithOutput: fail(
    400,
    "invalid_request_error",
    "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000, decrease input length or `max_tokens`",
  ),
  badRequest: fail(400, "invalid_request_error", "temperature: Input should be less than or equal to 1"),
  badSignature: fail(400, "invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block"),
  wrongKey: fail(401, "authentication_error", "invalid x-api-key"),
  poor: fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
  paymentRequired: fail(402, "billing_error", "Your account has a billing problem."),
  forbidden: fail(403, "permission_error", "Your API key does not have permission to use the specified resource."),
  unknownModel: fail(404, "not_found_error", "model: claude-9"),
  tooLarge: fail(413, "request_too_large", "Request exceeds the maximum size"),
  rateLimit: fail(429, "rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit", {
    "retry-after": "11",
  }),
  server: fail(500, "api_error", "Internal server error"),
  overloaded: fail(529, "overloaded_error", "Overloaded"),
  page: { status: 502, body: "<html><body><h1>502 Bad Gateway</h1><hr>cloudflare</body></html>" },
} as const satisfies Record<string, WireFailure>;

function fail(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): WireFailure {
  return { status, body: { type: "error", error: { type, message }, request_id: "req_1" }, headers };
}

const protocol: Protocol = {
  toEvents: (answer, request) => (isMessages(request) ? toEvents(answer, request) : undefined),
  toBody: (answer, request) => (isMessages(request) ? toMessage(answer, request) : undefined),
  toErrorEvent: (type, message) => toEvent({ type: "error", error: { type, message } }),
};

function isMessages({ path }: WireRequest): boolean {
  return path.endsWith("/v1/messages");
}

function toEvent(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

type Block = { readonly type: string; readonly [key: string]: unknown };

function toBlocks({ reasoning, seal = "", redacted, text, toolCalls = [] }: WireAnswer): Block[] {
  return [
    ...(reasoning ?? []).map((thinking) => ({ type: "thinking", thinking, signature: seal })),
    ...(redacted === undefined ? [] : [{ type: "redacted_thinking", data: redacted }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...toolCalls.map((call, index) => ({
      type: "tool_use",
      id: call.id ?? `toolu_scripted_${index}`,
      name: call.name,
      input: call.arguments,
    })),
  ];
}

function toMessage(answer: WireAnswer, { body }: WireRequest): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: body.model,
    content: toBlocks(answer).map((block) =>
      block.type === "tool_use" ? { ...block, input: JSON.parse(String(block.input)) } : block,
    ),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: { ...startUsage(answer), ...endUsage(answer) },
  };
}

function stopReason({ finish, refusal, toolCalls = [] }: WireAnswer): string {
  if (finish !== undefined) return finish;
  if (refusal !== undefined) return "refusal";
  return toolCalls.length > 0 ? "tool_use" : "end_turn";
}

/** The service counts input apart from what was read from the cache and written to it. */
function startUsage({ usage = defaultWireUsage }: WireAnswer): object {
  const { prompt = 0, cached, cacheWrite } = usage ?? {};
  return {
    input_tokens: prompt - (cached ?? 0) - (cacheWrite ?? 0),
    output_tokens: 1,
    ...(cacheWrite === undefined ? {} : { cache_creation_input_tokens: cacheWrite }),
    ...(cached === undefined ? {} : { cache_read_input_tokens: cached }),
  };
}

function endUsage({ usage = defaultWireUsage }: WireAnswer): object {
  return { output_tokens: usage?.completion ?? 0 };
}

function toEvents(answer: WireAnswer, { body }: WireRequest): string[] {
  const message = { id: "msg_1", type: "message", role: "assistant", model: body.model, content: [] };
  return [
    toEvent({
      type: "message_start",
      message: { ...message, stop_reason: null, stop_sequence: null, usage: startUsage(answer) },
    }),
    toEvent({ type: "ping" }),
    ...toBlocks(answer).flatMap(toBlockEvents),
    toEvent({
      type: "message_delta",
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: endUsage(answer),
    }),
    toEvent({ type: "message_stop" }),
  ];
}

function toBlockEvents(block: Block, index: number): string[] {
  const toDelta = (delta: object) => toEvent({ type: "content_block_delta", index, delta });
  return [
    toEvent({ type: "content_block_start", index, content_block: emptied(block) }),
    ...toDeltas(block).map(toDelta),
    toEvent({ type: "content_block_stop", index }),
  ];
}

function emptied(block: Block): Block {
  switch (block.type) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "text":
      return { type: "text", text: "" };
    case "tool_use":
      return { ...block, input: {} };
    default:
      return block;
  }
}

function toDeltas(block: Block): object[] {
  switch (block.type) {
    case "thinking":
      return [
        ...splitAwkwardly(String(block.thinking)).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "text":
      return splitAwkwardly(String(block.text)).map((text) => ({ type: "text_delta", text }));
    case "tool_use":
      return ["", ...splitAwkwardly(String(block.input))].map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
    default:
      return [];
  }
}
