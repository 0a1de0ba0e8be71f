/**
 * How much of a window a text takes. Counted here, never asked of a provider: that would be a call before each call. The
 * tokenizer takes 76 MB, so it is loaded when a context is large enough to matter; below that its bytes are bound enough.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { ContentPart, PromptMessage, ToolDefinition } from "../shared/content.ts";

export interface TokenCounter {
  /** By how much a provider's tokenizer may exceed ours. */
  readonly factor: number;
  text(text: string): number;
  message(message: PromptMessage): number;
  tools(tools: readonly ToolDefinition[]): number;
}

/** What providers' own tokenizers make of a text, against ours; on the safe side. */
const factors: Readonly<Record<string, number>> = {
  openai: 1,
  azure: 1,
  anthropic: 1.2,
  bedrock: 1.2,
  minimax: 1.2,
};
const defaultFactor = 1.1;

/** What a provider puts around each message. */
const tokensPerMessage = 4;
/** The most that providers take for an image of any size they accept. */
const tokensPerImage = 1_600;

type Count = (text: string) => number;

let loaded: Promise<Count> | undefined;

async function loadTokenizer(): Promise<Count> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Special tokens in a text are text: nobody may end a prompt by writing one.
  const count: Count = (text) => countTokens(text, { disallowedSpecial: new Set() });
  return (text) => countSample(text, (sample) => countPieces(sample, count));
}

/** Of a text that would hold everybody up its ends are counted, and the rest is taken to be like them. */
const longestSample = 200_000;

function countSample(text: string, count: Count): number {
  if (text.length <= longestSample) return count(text);
  const half = longestSample / 2;
  const sampled = count(text.slice(0, half)) + count(text.slice(-half));
  return Math.ceil((sampled * text.length) / longestSample);
}

/** The tokenizer's time grows with the square of a word's length: 4 s for one of 100,000 letters, 10 ms in pieces. */
const longWord = /(\S{256}|\s{256})/;

function countPieces(text: string, count: Count): number {
  return text.split(longWord).reduce((sum, piece) => sum + (piece === "" ? 0 : count(piece)), 0);
}

/** Counts are kept with the message they are of: a message never changes. */
const counted = new WeakMap<PromptMessage, number>();

export async function loadCounter(endpointKind: string): Promise<TokenCounter> {
  loaded ??= loadTokenizer();
  const count = await loaded;
  const factor = factors[endpointKind] ?? defaultFactor;
  const text: Count = (value) => Math.ceil(count(value) * factor);
  return {
    factor,
    text,
    message(message) {
      const known = counted.get(message) ?? countMessage(message, count);
      counted.set(message, known);
      return Math.ceil(known * factor);
    },
    tools: (tools) => (tools.length === 0 ? 0 : text(JSON.stringify(tools))),
  };
}

/** So many at once that nobody else has to wait long: counting 10,000 messages takes 60 ms. */
const atOnce = 200;

/** The same for each of a list, with others let through in between. */
export async function countEach<T>(items: readonly T[], count: (item: T) => number): Promise<number[]> {
  const counts: number[] = [];
  for (const [index, item] of items.entries()) {
    if (index % atOnce === atOnce - 1) await breathe();
    counts.push(count(item));
  }
  return counts;
}

export async function sumMessages(messages: readonly PromptMessage[], counter: TokenCounter): Promise<number> {
  return (await countEach(messages, counter.message)).reduce((sum, tokens) => sum + tokens, 0);
}

function countMessage(message: PromptMessage, count: Count): number {
  const words = textsOf(message).reduce((sum, text) => sum + count(text), 0);
  return tokensPerMessage + words + imagesOf(message) * tokensPerImage;
}

/** A token is at least a byte: whatever fits in bytes fits. */
export function boundTokens(message: PromptMessage): number {
  const bytes = textsOf(message).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return tokensPerMessage + bytes + imagesOf(message) * tokensPerImage;
}

export function textsOf(message: PromptMessage): string[] {
  switch (message.role) {
    case "tool":
      return message.returns.map(({ output }) => output);
    case "assistant":
      return [
        ...message.content.flatMap(textsOfPart),
        ...message.toolCalls.flatMap((call) => [call.name, call.arguments]),
      ];
    default:
      return message.content.flatMap(textsOfPart);
  }
}

function textsOfPart(part: ContentPart): string[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [part.text];
    case "redacted-reasoning":
      return [part.data];
    case "summarized-reasoning":
      return part.summary.map(({ text }) => text);
    default:
      return [];
  }
}

function imagesOf(message: PromptMessage): number {
  return message.role === "user" ? message.content.filter(({ type }) => type === "image").length : 0;
}
