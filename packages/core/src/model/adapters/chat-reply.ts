/** What a server compatible with Chat Completions answers, streamed or whole, as pieces of a reply. */
import type { ToolDefinition } from "../../shared/content.ts";
import { type CallReader, createCallReader } from "./chat-calls.ts";
import { toCount, toRecord } from "./fields.ts";
import type { PackagePart, PackageUsage } from "./package-types.ts";
import { readEvents } from "./server-sent-events.ts";
import { createThinkSplitter, type SpokenPiece } from "./think-tags.ts";
import { createCallGuess, findWrittenCall } from "./written-call.ts";

/** `writable`: the tools that the model may have written calls of into its text. */
export async function* readChatReply(
  response: Response,
  writable: readonly ToolDefinition[],
): AsyncGenerator<PackagePart> {
  const reader = createChatReader(writable);
  try {
    if (/\bjson\b/.test(response.headers.get("content-type") ?? "")) yield* reader.add(await response.text());
    else for await (const event of readEvents(response)) yield* reader.add(event);
  } catch (error) {
    // What follows the word that it is done are counts at most.
    if (!reader.isDone()) throw error;
  }
  yield* reader.end();
}

interface ChatReader {
  add(event: string): PackagePart[];
  isDone(): boolean;
  end(): PackagePart[];
}

function createChatReader(writable: readonly ToolDefinition[]): ChatReader {
  const calls = createCallReader();
  const speech = createSpeech(writable, calls);
  let finish: string | undefined;
  let usage: unknown;

  function addChoice(choice: Readonly<Record<string, unknown>>): PackagePart[] {
    const delta = toRecord(choice.delta ?? choice.message);
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") finish = choice.finish_reason;
    const thoughts = delta.reasoning_content ?? delta.reasoning;
    const toolCalls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    return [
      ...(typeof thoughts === "string" ? speech.think(thoughts) : []),
      ...readContent(delta.content ?? delta.refusal).flatMap(({ type, text }) =>
        type === "text" ? speech.say(text) : speech.think(text),
      ),
      ...(toolCalls.length > 0 ? speech.release() : []),
      ...toolCalls.flatMap((call) => calls.add(call)),
    ];
  }

  return {
    add(event) {
      if (event.trim() === "[DONE]") {
        finish ??= "stop";
        return [];
      }
      const chunk = toRecord(JSON.parse(event));
      throwIfError(chunk);
      usage = chunk.usage ?? toRecord(chunk.x_groq).usage ?? usage;
      const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
      return addChoice(toRecord(choice));
    },
    isDone: () => finish !== undefined,
    end() {
      // It broke off: no finish, which whoever reads this takes for an error.
      if (finish === undefined) return [];
      return [
        ...speech.end(),
        ...calls.end(),
        { type: "finish", finishReason: { unified: nameFinish(finish), raw: finish }, usage: toUsage(usage) },
      ];
    },
  };
}

interface Speech {
  say(text: string): PackagePart[];
  think(text: string): PackagePart[];
  /** What was held back, as the text that it is. */
  release(): PackagePart[];
  end(): PackagePart[];
}

function createSpeech(writable: readonly ToolDefinition[], calls: CallReader): Speech {
  const splitter = createThinkSplitter();
  let held = "";
  let mayBeCall = writable.length > 0;
  const guessCall = createCallGuess();

  function toParts({ type, text }: SpokenPiece): PackagePart[] {
    if (type === "reasoning") return [{ type: "reasoning-delta", id: "thought", delta: text }];
    held += text;
    if (mayBeCall && guessCall(text)) return [];
    mayBeCall = false;
    return release();
  }

  function release(): PackagePart[] {
    const delta = held;
    held = "";
    return delta === "" ? [] : [{ type: "text-delta", id: "text", delta }];
  }

  return {
    say: (text) => splitter.add(text).flatMap(toParts),
    think: (text) => (text === "" ? [] : toParts({ type: "reasoning", text })),
    release() {
      mayBeCall = false;
      return release();
    },
    end() {
      const parts = splitter.end().flatMap(toParts);
      const written = mayBeCall ? findWrittenCall(held, writable) : undefined;
      if (!written) return [...parts, ...release()];
      return [...parts, ...calls.add({ function: written })];
    },
  };
}

/** Text, or a list of parts, some of which are thoughts. */
function readContent(content: unknown): SpokenPiece[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part): SpokenPiece[] => {
    const { type, text, thinking } = toRecord(part);
    if (type === "thinking") {
      const texts = readContent(thinking).map((piece) => piece.text);
      return [{ type: "reasoning", text: texts.join("") }];
    }
    return typeof text === "string" ? [{ type: "text", text }] : [];
  });
}

/** Servers that have begun to answer can only say it in the stream. */
function throwIfError(chunk: Readonly<Record<string, unknown>>): void {
  const error = chunk.error ?? (chunk.object === "error" ? chunk : undefined);
  if (error === undefined || error === null) return;
  const { message, type, code } = toRecord(error);
  const isStatus = typeof code === "number" && code >= 400 && code < 600;
  throw Object.assign(new Error(typeof error === "string" ? error : String(message ?? JSON.stringify(error))), {
    type,
    code,
    ...(isStatus ? { statusCode: code } : {}),
  });
}

type Unified = Extract<PackagePart, { type: "finish" }>["finishReason"]["unified"];

function nameFinish(reason: string): Unified {
  switch (reason) {
    case "stop":
    case "eos":
    case "end_turn":
      return "stop";
    case "length":
    case "max_tokens":
    case "model_length":
      return "length";
    case "tool_calls":
    case "function_call":
      return "tool-calls";
    case "content_filter":
    case "sensitive":
      return "content-filter";
    case "error":
    case "network_error":
      return "error";
    default:
      return "other";
  }
}

function toUsage(usage: unknown): PackageUsage {
  const fields = toRecord(usage);
  const cached = toRecord(fields.prompt_tokens_details).cached_tokens ?? fields.prompt_cache_hit_tokens;
  return {
    inputTokens: {
      total: toCount(fields.prompt_tokens),
      noCache: undefined,
      cacheRead: toCount(cached),
      cacheWrite: undefined,
    },
    outputTokens: {
      total: toCount(fields.completion_tokens),
      text: undefined,
      reasoning: toCount(toRecord(fields.completion_tokens_details).reasoning_tokens),
    },
    ...(usage ? { raw: fields as NonNullable<PackageUsage["raw"]> } : {}),
  };
}
