/** Requests to models, and what comes of them, for tests. */
import { findModel } from "../model/catalogue.ts";
import type { Model, ModelChunk, ModelReply, ModelRequest } from "../model/model.ts";
import type { PromptMessage, ToolDefinition } from "../shared/content.ts";
import { MemoirError } from "../shared/errors.ts";
import type { ModelConfig } from "../shared/model-config.ts";

export function configOf(handle: string, changes: Partial<ModelConfig> = {}): ModelConfig {
  const config = findModel(handle);
  if (!config) throw new Error(`the catalogue has no model "${handle}"`);
  return { ...config, ...changes };
}

export function user(text: string): PromptMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** What the assistant said and did, as it goes into the next request. */
export function assistant({ content, toolCalls }: Pick<ModelReply, "content" | "toolCalls">): PromptMessage {
  return { role: "assistant", content, toolCalls };
}

export function result(callId: string, name: string, output: string): PromptMessage {
  return { role: "tool", returns: [{ callId, name, status: "success", output }] };
}

export const tools: readonly ToolDefinition[] = [
  {
    name: "memory_insert",
    description: "Adds a line.",
    parameters: {
      type: "object",
      properties: { label: { type: "string" }, new_string: { type: "string" } },
      required: ["label", "new_string"],
    },
  },
  {
    name: "conversation_search",
    description: "Finds messages.",
    parameters: { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } }, required: [] },
  },
];

export function requestOf(config: ModelConfig, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    config,
    system: "You are a careful agent.",
    messages: [user("hello there")],
    tools,
    toolChoice: "auto",
    parallelToolCalls: config.parallelToolCalls,
    responseFormat: config.responseFormat,
    ...changes,
  };
}

export interface Collected {
  readonly chunks: readonly ModelChunk[];
  readonly reply: ModelReply;
}

export async function collect(model: Model, request: ModelRequest, signal?: AbortSignal): Promise<Collected> {
  const chunks = await Array.fromAsync(model.stream(request, signal ?? new AbortController().signal));
  const last = chunks.at(-1);
  if (last?.type !== "reply") throw new Error("the stream ended without a reply");
  return { chunks, reply: last.reply };
}

/** The failure of a request that must fail, with the pieces that came before it. */
export async function collectFailure(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly error: MemoirError; readonly chunks: readonly ModelChunk[] }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of model.stream(request, signal)) chunks.push(chunk);
  } catch (error) {
    if (error instanceof MemoirError) return { error, chunks };
    throw error;
  }
  throw new Error("the request did not fail");
}

/** What whoever watches has seen, put together. */
export function joinChunks(chunks: readonly ModelChunk[]) {
  const calls = new Map<string, { name: string; arguments: string }>();
  let text = "";
  let reasoning = "";
  for (const chunk of chunks) {
    if (chunk.type === "text-delta") text += chunk.text;
    if (chunk.type === "reasoning-delta") reasoning += chunk.text;
    if (chunk.type === "tool-call-start") calls.set(chunk.callId, { name: chunk.name, arguments: "" });
    if (chunk.type === "tool-call-delta") {
      const call = calls.get(chunk.callId);
      if (!call) throw new Error("arguments came before their call");
      call.arguments += chunk.arguments;
    }
  }
  return { text, reasoning, calls: [...calls].map(([id, call]) => ({ id, ...call })) };
}
