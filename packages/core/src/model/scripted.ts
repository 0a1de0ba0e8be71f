/**
 * A model for tests that says what a script tells it to. Entries are plain data made by the functions below:
 *
 *     const model = scripted([callTool("memory_insert", { label: "human", new_string: "Ada" }), say("Noted.")]);
 */
import type { ContentPart, ToolCall, Usage } from "../shared/content.ts";
import type { ErrorCode } from "../shared/errors.ts";
import type { JsonObject } from "../shared/json.ts";
import { toChunks } from "./chunks.ts";
import { createModelError, cutStream, type ModelErrorContext } from "./errors.ts";
import type { FinishReason, Model, ModelChunk, ModelReply, ModelRequest } from "./model.ts";

export interface ScriptedCall {
  readonly name: string;
  /** An object is written as JSON; a text is passed on as it stands, readable or not. */
  readonly arguments: JsonObject | string;
  /** Made up from the place in the script when absent, so that the same place gives the same id. */
  readonly id?: string;
}

export interface ScriptedReply {
  readonly content?: readonly ContentPart[];
  readonly toolCalls?: readonly ScriptedCall[];
  readonly finishReason?: FinishReason;
  readonly usage?: Partial<Usage>;
  /** Instead of a reply, at once or, when `cutAfter` is given, in its midst. */
  readonly failure?: { readonly code: ErrorCode; readonly message: string; readonly details: object };
  /** So many pieces come, then the failure, or the connection breaks. */
  readonly cutAfter?: number;
  /** Awaited before the first piece. */
  readonly gate?: () => Promise<unknown>;
  /** Awaited before each piece, with its number from 0. */
  readonly pieceGate?: (piece: number) => Promise<unknown>;
}

type Extras = Omit<ScriptedReply, "content" | "toolCalls">;

export function say(text: string, extras: Extras = {}): ScriptedReply {
  return { content: [{ type: "text", text }], ...extras };
}

export function callTool(name: string, args: JsonObject | string = {}, extras: Extras & { id?: string } = {}) {
  const { id, ...rest } = extras;
  return callTools([{ name, arguments: args, ...(id === undefined ? {} : { id }) }], rest);
}

/** Several calls in one reply. */
export function callTools(toolCalls: readonly ScriptedCall[], extras: Extras = {}): ScriptedReply {
  return { toolCalls, ...extras };
}

/** The reply, begun with a thought; with a signature, one the provider wants to see again. */
export function afterThinking(text: string, reply: ScriptedReply, signature?: string): ScriptedReply {
  const thought: ContentPart = { type: "reasoning", text, isNative: true, ...(signature ? { signature } : {}) };
  return { ...reply, content: [thought, ...(reply.content ?? [])] };
}

/** The reply, with words before its calls. */
export function afterSaying(text: string, reply: ScriptedReply): ScriptedReply {
  return { ...reply, content: [...(reply.content ?? []), { type: "text", text }] };
}

export function sayNothing(extras: Extras = {}): ScriptedReply {
  return { content: [], ...extras };
}

export function rejectToAnswer(text = ""): ScriptedReply {
  return { content: text === "" ? [] : [{ type: "text", text }], finishReason: "content-filter" };
}

export function failWith(code: ErrorCode, message: string = code, details: object = {}): ScriptedReply {
  return { failure: { code, message, details } };
}

/** The reply, broken off after so many pieces. */
export function cutAfter(pieces: number, reply: ScriptedReply): ScriptedReply {
  return { ...reply, cutAfter: pieces };
}

/** The reply, held back until the gate opens. */
export function holdUntil(gate: Promise<unknown>, reply: ScriptedReply): ScriptedReply {
  return { ...reply, gate: () => gate };
}

export interface ScriptedModel extends Model {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[];
}

/** Each request takes the next entry, whoever makes it. */
export function scripted(script: readonly ScriptedReply[]): ScriptedModel {
  return follow((_, count) => ({ entry: script[count], place: String(count) }));
}

/**
 * The entry is chosen by how many replies of the assistant the request already holds, less `skip` (some kinds of agents
 * start with one): a run that is taken up again after a crash is told the same again.
 */
export function scriptedByPosition(
  script: readonly ScriptedReply[] | ((position: number, request: ModelRequest) => ScriptedReply | undefined),
  { skip = 0 }: { readonly skip?: number } = {},
): ScriptedModel {
  return follow((request) => {
    const position = request.messages.filter(({ role }) => role === "assistant").length - skip;
    return {
      entry: typeof script === "function" ? script(position, request) : script[position],
      place: `at-${position}`,
    };
  });
}

type Choice = { readonly entry: ScriptedReply | undefined; readonly place: string };

function follow(choose: (request: ModelRequest, count: number) => Choice): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    stream(request, signal) {
      const { entry, place } = choose(request, requests.length);
      requests.push(request);
      if (!entry) throw new Error(`the script has no answer for request ${requests.length} (${place})`);
      return play(entry, place, request, signal);
    },
  };
}

async function* play(
  entry: ScriptedReply,
  place: string,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  signal.throwIfAborted();
  if (entry.gate) await unlessAborted(entry.gate(), signal);
  const context: ModelErrorContext = { provider: request.config.provider ?? "scripted", model: request.config.model };
  const chunks = toChunks(toReply(entry, place));
  const isCut = entry.failure !== undefined || entry.cutAfter !== undefined;
  const shown = isCut ? chunks.slice(0, entry.cutAfter ?? 0) : chunks;
  for (const [piece, chunk] of shown.entries()) {
    if (entry.pieceGate) await unlessAborted(entry.pieceGate(piece), signal);
    signal.throwIfAborted();
    yield chunk;
  }
  if (isCut) throw toFailure(entry, context);
}

const passing = new Set<ErrorCode>(["llm-rate-limit", "llm-overloaded", "llm-timeout", "llm-error"]);

function toFailure({ failure }: ScriptedReply, context: ModelErrorContext): Error {
  if (!failure) return cutStream(context);
  const { code, message, details } = failure;
  return createModelError(code, message, context, { isRetryable: passing.has(code), ...details });
}

const defaultUsage: Usage = {
  promptTokens: 10,
  completionTokens: 5,
  totalTokens: 15,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

function toReply({ content = [], toolCalls = [], finishReason, usage }: ScriptedReply, place: string): ModelReply {
  const counted = { ...defaultUsage, ...usage };
  return {
    content,
    toolCalls: toolCalls.map((call, index) => toToolCall(call, `call-${place}-${index}`)),
    finishReason: finishReason ?? (toolCalls.length > 0 ? "tool-calls" : "stop"),
    usage: { ...counted, totalTokens: usage?.totalTokens ?? counted.promptTokens + counted.completionTokens },
  };
}

function toToolCall({ id, name, arguments: args }: ScriptedCall, defaultId: string): ToolCall {
  return { id: id ?? defaultId, name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

async function unlessAborted(gate: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    await Promise.race([gate, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}
