/** Puts a reply together from the pieces a provider package streams, and passes the pieces on. */
import { randomBytes } from "node:crypto";
import type { ContentPart, ToolCall, Usage } from "../../shared/content.ts";
import type { FinishReason, ModelChunk, ModelReply } from "../model.ts";
import type { PackagePart, PackageUsage } from "./package-types.ts";

export interface ReplyBuilder {
  /** What a piece means to whoever is watching. Pieces that mean nothing to us give nothing. */
  add(part: PackagePart): ModelChunk[];
  /** Undefined as long as the provider has not said that it was done. */
  finish(): ModelReply | undefined;
}

type Metadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface TextBlock {
  readonly type: "text";
  text: string;
  signature?: string;
}

interface ReasoningBlock {
  readonly type: "reasoning";
  readonly id: string;
  text: string;
  signature?: string;
  redacted?: string;
  /** OpenAI's name of the item that this is one summary of. */
  itemId?: string;
  encrypted?: string;
}

interface CallBlock {
  readonly id: string;
  readonly name: string;
  arguments: string;
  isWhole: boolean;
  signature?: string;
}

/** `isTaken` tells which call ids the conversation has used: some servers number theirs from 0 in each reply. */
export function createReply(
  isTaken: (id: string) => boolean,
  newCallId: () => string = () => `call_${randomBytes(12).toString("hex")}`,
): ReplyBuilder {
  const blocks: (TextBlock | ReasoningBlock)[] = [];
  const texts = new Map<string, TextBlock>();
  const thoughts = new Map<string, ReasoningBlock>();
  const calls = new Map<string, CallBlock>();
  let finish: Extract<PackagePart, { type: "finish" }> | undefined;

  function startText(id: string): TextBlock {
    const block: TextBlock = { type: "text", text: "" };
    texts.set(id, block);
    blocks.push(block);
    return block;
  }

  function startReasoning(id: string): ReasoningBlock {
    const block: ReasoningBlock = { type: "reasoning", id, text: "" };
    thoughts.set(id, block);
    blocks.push(block);
    return block;
  }

  function addReasoning(id: string, delta: string, metadata: Metadata | undefined): ModelChunk[] {
    const block = thoughts.get(id) ?? startReasoning(id);
    readMetadata(block, metadata);
    if (delta === "") return [];
    // Summaries of one item are paragraphs of one thought.
    const isNext = block.text === "" && blocks.some((other) => other !== block && isSameItem(other, block));
    block.text += delta;
    return [{ type: "reasoning-delta", text: isNext ? `\n\n${delta}` : delta }];
  }

  function startCall(wireId: string, name: string): ModelChunk[] {
    if (calls.has(wireId)) return [];
    const isUsable = wireId.trim() !== "" && !isTaken(wireId);
    const block: CallBlock = { id: isUsable ? wireId : newCallId(), name, arguments: "", isWhole: false };
    calls.set(wireId, block);
    return [{ type: "tool-call-start", callId: block.id, name }];
  }

  function addArguments(wireId: string, delta: string): ModelChunk[] {
    const block = calls.get(wireId);
    if (!block || delta === "") return [];
    block.arguments += delta;
    return [{ type: "tool-call-delta", callId: block.id, arguments: delta }];
  }

  /** The whole call comes last; whatever of it was not streamed is passed on now. */
  function endCall(wireId: string, name: string, input: string, metadata: Metadata | undefined): ModelChunk[] {
    const started = startCall(wireId, name);
    const block = calls.get(wireId);
    if (!block) return started;
    sign(block, metadata);
    const rest = input.startsWith(block.arguments) ? input.slice(block.arguments.length) : "";
    const chunks = [...started, ...addArguments(wireId, rest)];
    block.arguments = input;
    block.isWhole = true;
    return chunks;
  }

  return {
    add(part) {
      switch (part.type) {
        case "text-start":
          startText(part.id);
          return [];
        case "text-delta": {
          const block = texts.get(part.id) ?? startText(part.id);
          block.text += part.delta;
          sign(block, part.providerMetadata);
          return part.delta === "" ? [] : [{ type: "text-delta", text: part.delta }];
        }
        case "reasoning-start":
          readMetadata(startReasoning(part.id), part.providerMetadata);
          return [];
        case "reasoning-delta":
          return addReasoning(part.id, part.delta, part.providerMetadata);
        case "reasoning-end":
          return addReasoning(part.id, "", part.providerMetadata);
        case "tool-input-start":
          return startCall(part.id, part.toolName);
        case "tool-input-delta":
          return addArguments(part.id, part.delta);
        case "tool-call":
          return endCall(part.toolCallId, part.toolName, part.input, part.providerMetadata);
        case "finish":
          finish = part;
          return [];
        default:
          return [];
      }
    },
    finish() {
      if (!finish || finish.finishReason.unified === "interrupted" || finish.finishReason.unified === "error") {
        return undefined;
      }
      const toolCalls = [...calls.values()].filter(({ isWhole }) => isWhole).map(toToolCall);
      return {
        content: toContent(blocks),
        toolCalls,
        finishReason: nameFinish(finish.finishReason.unified, toolCalls.length > 0),
        usage: toUsage(finish.usage),
      };
    },
  };
}

function toToolCall({ id, name, arguments: json, signature }: CallBlock): ToolCall {
  return { id, name, arguments: json, ...(signature === undefined ? {} : { signature }) };
}

/** Google signs what the model says and calls, not what it thinks. */
function sign(block: TextBlock | CallBlock, metadata: Metadata | undefined): void {
  const signature = metadata?.google?.thoughtSignature;
  if (typeof signature === "string") block.signature = signature;
}

function readMetadata(block: ReasoningBlock, metadata: Metadata | undefined): void {
  const { signature, redactedData } = metadata?.anthropic ?? {};
  const { itemId, reasoningEncryptedContent } = metadata?.openai ?? {};
  if (typeof signature === "string") block.signature = signature;
  if (typeof redactedData === "string") block.redacted = redactedData;
  if (typeof itemId === "string") block.itemId = itemId;
  if (typeof reasoningEncryptedContent === "string") block.encrypted = reasoningEncryptedContent;
}

function isSameItem(other: TextBlock | ReasoningBlock, block: ReasoningBlock): boolean {
  return other.type === "reasoning" && other.itemId !== undefined && other.itemId === block.itemId && other.text !== "";
}

function toContent(blocks: readonly (TextBlock | ReasoningBlock)[]): ContentPart[] {
  const items = new Set<string>();
  return blocks.flatMap((block): ContentPart[] => {
    if (block.type === "text") return toText(block);
    if (block.itemId === undefined) return toReasoning(block);
    if (items.has(block.itemId)) return [];
    items.add(block.itemId);
    return [joinSummaries(block.itemId, blocks)];
  });
}

function toText({ text, signature }: TextBlock): ContentPart[] {
  return text === "" ? [] : [{ type: "text", text, ...(signature === undefined ? {} : { signature }) }];
}

function toReasoning({ text, signature, redacted }: ReasoningBlock): ContentPart[] {
  const signed = signature === undefined ? {} : { signature };
  if (redacted !== undefined) return [{ type: "redacted-reasoning", data: redacted }];
  if (text !== "") return [{ type: "reasoning", text, ...signed, isNative: true }];
  return signature === undefined ? [] : [{ type: "omitted-reasoning", signature }];
}

function joinSummaries(itemId: string, blocks: readonly (TextBlock | ReasoningBlock)[]): ContentPart {
  const parts = blocks.filter((block) => block.type === "reasoning").filter((block) => block.itemId === itemId);
  const encrypted = parts.findLast((part) => part.encrypted !== undefined)?.encrypted;
  return {
    type: "summarized-reasoning",
    id: itemId,
    summary: parts
      .filter(({ text }) => text !== "")
      .map(({ id, text }) => ({ index: Number(id.slice(itemId.length + 1)) || 0, text })),
    ...(encrypted === undefined ? {} : { encrypted }),
  };
}

/** Some servers end a reply with "stop" although it calls tools. */
function nameFinish(unified: string, callsTools: boolean): FinishReason {
  switch (unified) {
    case "length":
    case "content-filter":
      return unified;
    case "tool-calls":
      return callsTools ? "tool-calls" : "stop";
    case "stop":
      return callsTools ? "tool-calls" : "stop";
    default:
      return callsTools ? "tool-calls" : "other";
  }
}

const cachedPaths = [
  "prompt_tokens_details.cached_tokens",
  "input_tokens_details.cached_tokens",
  "cache_read_input_tokens",
];
const writtenPaths = [
  "prompt_tokens_details.cache_write_tokens",
  "input_tokens_details.cache_write_tokens",
  "cache_creation_input_tokens",
];
const reasoningPaths = [
  "completion_tokens_details.reasoning_tokens",
  "output_tokens_details.reasoning_tokens",
  "output_tokens_details.thinking_tokens",
];

function toUsage({ inputTokens, outputTokens, raw }: PackageUsage): Usage {
  const promptTokens = inputTokens.total ?? 0;
  const completionTokens = outputTokens.total ?? 0;
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens: orNull(inputTokens.cacheRead, raw, cachedPaths),
    cacheWriteTokens: orNull(inputTokens.cacheWrite, raw, writtenPaths),
    reasoningTokens: orNull(outputTokens.reasoning, raw, reasoningPaths),
    ...(inputTokens.total === undefined && outputTokens.total === undefined ? { isReported: false } : {}),
  };
}

/** Packages say 0 where the provider said nothing; the provider's own record tells which it was. */
function orNull(count: number | undefined, raw: unknown, paths: readonly string[]): number | null {
  if (count) return count;
  const isSaid = paths.some((path) => typeof path.split(".").reduce(readKey, raw) === "number");
  return isSaid ? 0 : null;
}

function readKey(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
