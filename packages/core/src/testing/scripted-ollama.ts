/**
 * Ollama's Chat Completions as a script, and with it what servers on people's own machines do: thoughts in a field or in
 * tags, calls whole in one piece, under one place, without ids, with arguments as objects; no counts.
 */
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

export interface LocalManners {
  /** Where thoughts are. */
  readonly thoughts?: "reasoning" | "reasoning_content" | "tags";
  /** How arguments are written. */
  readonly arguments?: "text" | "object" | "text-in-text";
  /** Calls vanish from streams. */
  readonly losesCalls?: boolean;
}

export async function startScriptedOllama(script: Script = [], manners: LocalManners = {}): Promise<ScriptedServer> {
  const protocol: Protocol = {
    toEvents: (answer, request) => (isChat(request) ? toEvents(answer, request, manners) : undefined),
    toBody: (answer, request) => (isChat(request) ? toWhole(answer, request, manners) : undefined),
    toErrorEvent: (_type, message) => toEvent({ error: message }),
  };
  return await startScriptedServer(protocol, script);
}

/** Refusals as the programs word them. */
export const localFailures = {
  ollamaNoTools: fail(400, "registry.ollama.ai/library/gemma3:1b does not support tools", "api_error"),
  vllmNoTools: {
    status: 400,
    body: {
      object: "error",
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  },
  openRouterNoTools: {
    status: 404,
    body: { error: { message: "No endpoints found that support tool use.", code: 404 } },
  },
  unknownModel: { status: 404, body: { error: 'model "qwen9" not found, try pulling it first' } },
  noStreamOptions: {
    status: 422,
    body: { detail: [{ loc: ["body", "stream_options"], msg: "Extra inputs are not permitted: stream_options" }] },
  },
  ollamaOverflow: fail(400, "the input length exceeds the context length", "invalid_request_error"),
  vllmOverflow: {
    status: 400,
    body: {
      object: "error",
      message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
      code: 400,
    },
  },
  sglangOverflow: {
    status: 400,
    body: {
      object: "error",
      message: "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
      code: 400,
    },
  },
  lmStudioOverflow: {
    status: 400,
    body: {
      error:
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    },
  },
  crashed: { status: 500, body: { error: "llama runner process has terminated: exit status 2" } },
} as const satisfies Record<string, WireFailure>;

function fail(status: number, message: string, type: string): WireFailure {
  return { status, body: { error: { message, type, param: null, code: null } } };
}

function isChat({ path }: WireRequest): boolean {
  return path.endsWith("/v1/chat/completions");
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function toEvents(answer: WireAnswer, { body }: WireRequest, manners: LocalManners): string[] {
  const base = { id: "chatcmpl-7", object: "chat.completion.chunk", created: 1_760_000_000, model: body.model };
  const toChunk = (delta: object, finish_reason: string | null = null) =>
    toEvent({ ...base, choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason }] });
  const { field, thoughts, text } = readSpeech(answer, manners);
  const calls = manners.losesCalls ? [] : toCalls(answer, manners);
  const usage = toUsage(answer);
  return [
    ": a comment that keeps the connection open\n\n",
    ...splitAwkwardly(thoughts).map((piece) => toChunk({ content: "", [field]: piece })),
    ...splitAwkwardly(text).map((content) => toChunk({ content })),
    ...calls.map((call) => toChunk({ content: "", tool_calls: [call] })),
    toChunk({ content: "" }, toFinish(answer)),
    ...(usage && body.stream_options?.include_usage ? [toEvent({ ...base, choices: [], usage })] : []),
    "data: [DONE]\n\n",
  ];
}

function toWhole(answer: WireAnswer, { body }: WireRequest, manners: LocalManners): object {
  const { field, thoughts, text } = readSpeech(answer, manners);
  const calls = toCalls(answer, manners);
  const message = {
    role: "assistant",
    content: text,
    ...(thoughts === "" ? {} : { [field]: thoughts }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choices = [{ index: 0, message, finish_reason: toFinish(answer) }];
  return { id: "chatcmpl-7", object: "chat.completion", model: body.model, choices, usage: toUsage(answer) };
}

function readSpeech({ reasoning = [], text = "" }: WireAnswer, { thoughts = "reasoning" }: LocalManners) {
  const thought = reasoning.join("\n");
  if (thoughts !== "tags") return { field: thoughts, thoughts: thought, text };
  return { field: "reasoning", thoughts: "", text: thought === "" ? text : `<think>\n${thought}</think>\n\n${text}` };
}

/** All under one place, as older versions number them. */
function toCalls({ toolCalls = [] }: WireAnswer, { arguments: form = "text" }: LocalManners): object[] {
  return toolCalls.map(({ name, arguments: json, id }) => ({
    index: 0,
    ...(id === null ? {} : { id: id ?? `call_${name}` }),
    type: "function",
    function: { name, arguments: writeArguments(json, form) },
  }));
}

function writeArguments(json: string, form: NonNullable<LocalManners["arguments"]>): unknown {
  if (form === "object") return JSON.parse(json);
  return form === "text-in-text" ? JSON.stringify(json) : json;
}

function toFinish({ finish, toolCalls = [] }: WireAnswer): string {
  return finish ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
}

function toUsage({ usage = defaultWireUsage }: WireAnswer): object | undefined {
  if (!usage) return undefined;
  const { prompt, completion } = usage;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
