/** OpenAI as a script: Chat Completions and Responses, streamed or whole, in the formats of the real service. */
import {
  defaultWireUsage,
  type Protocol,
  type Script,
  type ScriptedServer,
  splitAwkwardly,
  startScriptedServer,
  type WireAnswer,
  type WireCall,
  type WireFailure,
  type WireRequest,
} from "./scripted-server.ts";

export interface ScriptedOpenAi extends ScriptedServer {
  readonly baseUrl: string;
}

export async function startScriptedOpenAi(script: Script = []): Promise<ScriptedOpenAi> {
  const server = await startScriptedServer(protocol, script);
  return { ...server, baseUrl: `${server.origin}/v1` };
}

/** Refusals and outages as the service words them. */
export const openAiFailures = {
  overflow: fail(
    400,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.",
    "invalid_request_error",
    "context_length_exceeded",
  ),
  badRequest: fail(400, "Invalid value for 'temperature'.", "invalid_request_error", null),
  wrongKey: fail(401, "Incorrect API key provided: sk-secr*******0042.", "invalid_request_error", "invalid_api_key"),
  paymentRequired: fail(402, "Payment required.", "billing", null),
  forbidden: fail(403, "Country, region, or territory not supported", "request_forbidden", "unsupported_country"),
  unknownModel: fail(404, "The model `gpt-9` does not exist.", "invalid_request_error", "model_not_found"),
  tooLarge: fail(413, "Request entity too large", "invalid_request_error", null),
  rateLimit: fail(429, "Rate limit reached for requests.", "requests", "rate_limit_exceeded", { "retry-after": "7" }),
  tooMuchAtOnce: fail(
    429,
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.",
    "tokens",
    "rate_limit_exceeded",
  ),
  quota: fail(429, "You exceeded your current quota.", "insufficient_quota", "insufficient_quota"),
  server: fail(500, "The server had an error while processing your request.", "server_error", null),
  overloaded: fail(503, "The engine is currently overloaded, please try again later", "server_error", null),
  page: { status: 502, body: "<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>" },
} as const satisfies Record<string, WireFailure>;

function fail(
  status: number,
  message: string,
  type: string,
  code: string | null,
  headers: Readonly<Record<string, string>> = {},
): WireFailure {
  return { status, body: { error: { message, type, param: null, code } }, headers };
}

const protocol: Protocol = {
  toEvents(answer, request) {
    if (request.path.endsWith("/chat/completions")) return toChatEvents(answer, request);
    return request.path.endsWith("/responses") ? toResponsesEvents(answer, request) : undefined;
  },
  toBody(answer, request) {
    if (request.path.endsWith("/chat/completions")) return toChatBody(answer, request);
    return request.path.endsWith("/responses") ? toResponse(answer, request, toItems(answer)) : undefined;
  },
  toErrorEvent: (type, message) => toEvent({ type: "error", sequence_number: 1, error: { type, code: type, message } }),
};

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

const created = 1_760_000_000;

function toChatEvents(answer: WireAnswer, { body }: WireRequest): string[] {
  const { text = "", refusal = "", toolCalls = [] } = answer;
  const base = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created,
    model: body.model,
    system_fingerprint: "fp",
  };
  const toChunk = (delta: object, finish_reason: string | null = null) =>
    toEvent({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  const usage = toChatUsage(answer);
  return [
    toChunk({ role: "assistant", content: toolCalls.length > 0 ? null : "", refusal: null }),
    ...splitAwkwardly(text).map((content) => toChunk({ content })),
    ...splitAwkwardly(refusal).map((piece) => toChunk({ refusal: piece })),
    ...toolCalls.flatMap(toChatCallDeltas).map((call) => toChunk({ tool_calls: [call] })),
    toChunk({}, chatFinish(answer)),
    ...(usage && body.stream_options?.include_usage ? [toEvent({ ...base, choices: [], usage })] : []),
    "data: [DONE]\n\n",
  ];
}

function toChatCallDeltas(call: WireCall, index: number): object[] {
  const id = nameCall(call, index);
  return [
    { index, ...(id === null ? {} : { id }), type: "function", function: { name: call.name, arguments: "" } },
    ...splitAwkwardly(call.arguments).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function toChatBody(answer: WireAnswer, { body }: WireRequest): object {
  const { text, refusal, toolCalls = [] } = answer;
  const calls = toolCalls.map((call, index) => ({
    id: nameCall(call, index) ?? "",
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created,
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text ?? null,
          refusal: refusal ?? null,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        logprobs: null,
        finish_reason: chatFinish(answer),
      },
    ],
    usage: toChatUsage(answer),
  };
}

function chatFinish({ finish, toolCalls = [] }: WireAnswer): string {
  return finish ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
}

function toChatUsage({ usage = defaultWireUsage }: WireAnswer): object | null {
  if (!usage) return null;
  const { prompt, completion, cached, reasoning } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 } }),
  };
}

function nameCall({ id }: WireCall, index: number): string | null {
  return id === undefined ? `call_scripted_${index}` : id;
}

type Item = { readonly type: string; readonly id: string; readonly [key: string]: unknown };

function toItems({ reasoning, seal, text, refusal, toolCalls = [] }: WireAnswer): Item[] {
  const content = [
    ...(text === undefined ? [] : [{ type: "output_text", text, annotations: [] }]),
    ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
  ];
  const summary = (reasoning ?? []).map((each) => ({ type: "summary_text", text: each }));
  return [
    ...(reasoning ? [{ type: "reasoning", id: "rs_1", summary, encrypted_content: seal ?? null }] : []),
    ...(content.length > 0 ? [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }] : []),
    ...toolCalls.map((call, index) => ({
      type: "function_call",
      id: `fc_${index}`,
      call_id: nameCall(call, index) ?? "",
      name: call.name,
      arguments: call.arguments,
      status: "completed",
    })),
  ];
}

function toResponse({ finish, usage = defaultWireUsage }: WireAnswer, { body }: WireRequest, output: Item[]): object {
  return {
    id: "resp_1",
    object: "response",
    created_at: created,
    model: body.model,
    status: finish === undefined ? "completed" : "incomplete",
    incomplete_details: finish === undefined ? null : { reason: finish },
    error: null,
    output,
    store: body.store ?? true,
    usage: usage && {
      input_tokens: usage.prompt,
      output_tokens: usage.completion,
      total_tokens: usage.prompt + usage.completion,
      ...(usage.cached === undefined ? {} : { input_tokens_details: { cached_tokens: usage.cached } }),
      ...(usage.reasoning === undefined ? {} : { output_tokens_details: { reasoning_tokens: usage.reasoning } }),
    },
  };
}

function toResponsesEvents(answer: WireAnswer, request: WireRequest): string[] {
  const items = toItems(answer);
  const begun = { ...toResponse(answer, request, []), status: "in_progress", incomplete_details: null, usage: null };
  const end = answer.finish === undefined ? "response.completed" : "response.incomplete";
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap(toItemEvents),
    { type: end, response: toResponse(answer, request, items) },
  ];
  return events.map((event, sequence_number) => `event: ${event.type}\n${toEvent({ ...event, sequence_number })}`);
}

function toItemEvents(item: Item, output_index: number): { type: string; [key: string]: unknown }[] {
  const at = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: emptied(item) },
    ...toInnerEvents(item).map((event) => ({ ...event, ...at })),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** An item as it is announced: its sealed reasoning is not the one to keep. */
function emptied(item: Item): Item {
  if (item.type === "reasoning") return { ...item, summary: [], encrypted_content: item.encrypted_content && "early" };
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  return { ...item, status: "in_progress", arguments: "" };
}

function toInnerEvents(item: Item): { type: string; [key: string]: unknown }[] {
  switch (item.type) {
    case "reasoning":
      return (item.summary as { text: string }[]).flatMap(({ text }, summary_index) => [
        { type: "response.reasoning_summary_part.added", summary_index, part: { type: "summary_text", text: "" } },
        ...splitAwkwardly(text).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          summary_index,
          delta,
        })),
        { type: "response.reasoning_summary_text.done", summary_index, text },
        { type: "response.reasoning_summary_part.done", summary_index, part: { type: "summary_text", text } },
      ]);
    case "message":
      return (item.content as { type: string; text?: string; refusal?: string }[]).flatMap((part, content_index) => {
        const kind = part.type === "refusal" ? "refusal" : "output_text";
        const text = part.text ?? part.refusal ?? "";
        return [
          { type: "response.content_part.added", content_index, part: { ...part, text: "" } },
          ...splitAwkwardly(text).map((delta) => ({ type: `response.${kind}.delta`, content_index, delta })),
          { type: `response.${kind}.done`, content_index, text, refusal: text },
          { type: "response.content_part.done", content_index, part },
        ];
      });
    default:
      return [
        ...splitAwkwardly(String(item.arguments)).map((delta) => ({
          type: "response.function_call_arguments.delta",
          delta,
        })),
        { type: "response.function_call_arguments.done", arguments: item.arguments },
      ];
  }
}
