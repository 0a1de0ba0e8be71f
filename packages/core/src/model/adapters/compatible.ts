/**
 * Chat Completions as everybody but OpenAI speaks it: hosts of open models and servers on people's own machines. Spoken by
 * hand, because each departs from the format in its own way, in what it takes and in what it answers.
 */
import { MemoirError } from "../../shared/errors.ts";
import type { ChatQuirks } from "../../shared/provider-row.ts";
import { stripTrailingSlashes } from "../../shared/trim.ts";
import type { Model, ModelRequest } from "../model.ts";
import { readChatReply } from "./chat-reply.ts";
import { type ChatBody, toChatBody } from "./chat-request.ts";
import { post } from "./http.ts";
import type { PackagePart } from "./package-types.ts";
import { type AdapterAccess, type Concessions, speak } from "./protocol.ts";

export function createCompatibleModel(access: AdapterAccess, quirks: ChatQuirks = {}): Model {
  const ask = (body: ChatBody, signal: AbortSignal) =>
    post({
      url: `${stripTrailingSlashes(access.baseUrl)}/chat/completions`,
      headers: { authorization: `Bearer ${access.apiKey}`, ...access.headers },
      body: JSON.stringify(body),
      fetch: access.fetch,
      signal,
    });
  return speak(
    {
      async send(request, without, signal) {
        const body = toChatBody(request, quirks, access.baseUrl, without);
        const writable = findWritable(request, quirks, without);
        const response = await ask(toStreamed(body, quirks, without), signal);
        const parts = readChatReply(response, writable);
        if (!quirks.isLocal) return parts;
        return repeatIfLost(parts, async () => readChatReply(await ask({ ...body, stream: false }, signal), writable));
      },
      concede: (error, without, request) => concede(error, without, request, access.provider),
    },
    access,
  );
}

function toStreamed(body: ChatBody, { countsUnasked }: ChatQuirks, { fields = [] }: Concessions): ChatBody {
  const isAsked = !countsUnasked && !fields.includes("stream_options");
  return { ...body, stream: true, ...(isAsked ? { stream_options: { include_usage: true } } : {}) };
}

/** The tools of which a call may be written as text: none where JSON was asked for. */
function findWritable({ tools, responseFormat }: ModelRequest, { isLocal }: ChatQuirks, without: Concessions) {
  const isFree = responseFormat === null || responseFormat.type === "text";
  return isLocal && isFree && !without.tools ? tools : [];
}

/**
 * Some local servers lose calls when they stream: the reply is empty, or says that it calls tools and does not. It is asked
 * for once more, whole; what was said before stays said.
 */
async function* repeatIfLost(
  parts: AsyncIterable<PackagePart>,
  askWhole: () => Promise<AsyncIterable<PackagePart>>,
): AsyncGenerator<PackagePart> {
  let hasText = false;
  let hasCalls = false;
  for await (const part of parts) {
    hasText ||= part.type === "text-delta";
    hasCalls ||= part.type === "tool-call";
    if (part.type !== "finish" || hasCalls || !isLost(part.finishReason.unified, hasText)) {
      yield part;
      continue;
    }
    for await (const again of await askWhole()) if (!hasText || again.type !== "text-delta") yield again;
  }
}

function isLost(finish: string, hasText: boolean): boolean {
  return finish === "tool-calls" || (!hasText && (finish === "stop" || finish === "other"));
}

const noTools =
  /not support(ed)? (tools?|tool[ _-]?(use|call(s|ing)?)|functions?|function[ _-]?call(s|ing)?)\b|(tools?|tool[ _-]?(use|call(s|ing)?)|function[ _-]?call(s|ing)?)\W+(is|are) not (supported|enabled)|support tool use|enable-auto-tool-choice/i;

/** Settings a server may not know, and a request can do without. */
const optional = [
  "stream_options",
  "parallel_tool_calls",
  "reasoning_effort",
  "frequency_penalty",
  "tool_choice",
  "temperature",
  "max_completion_tokens",
  "max_tokens",
];

function concede(
  { code, message, details }: MemoirError,
  without: Concessions,
  { tools, toolChoice, config }: ModelRequest,
  provider: string,
): Concessions | undefined {
  if (code !== "llm-bad-request" && details.status !== 404 && details.status !== 422) return undefined;
  if (noTools.test(message) && tools.length > 0 && !without.tools) {
    if (toolChoice === "auto" || toolChoice === "none") return { ...without, tools: true };
    const remedy = "choose a model that supports tools, or an agent that need not call one";
    throw new MemoirError(
      "llm-bad-request",
      `${config.model} takes no tools, and must call one here: ${remedy} (${message})`,
      {
        details: { ...details, provider, model: config.model },
      },
    );
  }
  const { fields = [] } = without;
  // The first that is named is the one at fault: others may be what to use instead.
  const [refused] = optional
    .filter((name) => !fields.includes(name) && isRefused(message, name))
    .sort((one, other) => findName(message, one) - findName(message, other));
  return refused === undefined ? undefined : { ...without, fields: [...fields, refused] };
}

function findName(message: string, name: string): number {
  return message.search(new RegExp(`\\b${name}\\b`));
}

/** Named together with a word that says it is unknown; a value out of range is for people to correct. */
function isRefused(message: string, name: string): boolean {
  return findName(message, name) >= 0 && unknown.test(message);
}

const unknown =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra (inputs|fields)|not permitted|forbidden|not allowed/i;
