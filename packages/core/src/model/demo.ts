/**
 * `memoir/demo`: a model without any intelligence, so that a newcomer sees agents remember without a key. It goes
 * through the loop as a real one does: it edits memory blocks and searches with the tools it is offered, and answers
 * from the memory it sees in its prompt. It calls at most one tool for each thing the user says, then it speaks.
 */
import { createHash } from "node:crypto";
import { type PromptMessage, type ToolCall, type ToolDefinition, type ToolReturn, textOf } from "../shared/content.ts";
import { type JsonObject, type JsonValue, parseJsonObject } from "../shared/json.ts";
import { toChunks } from "./chunks.ts";
import { aboutMe, greet, recallFacts, reportResult } from "./demo-answers.ts";
import {
  chooseBlock,
  dropLine,
  type Edit,
  findLines,
  noteFacts,
  readBlocks,
  type SeenBlock,
  toLine,
} from "./demo-memory.ts";
import { type Intent, understand } from "./demo-rules.ts";
import { summariseTranscript } from "./demo-summary.ts";
import type { Model, ModelReply, ModelRequest } from "./model.ts";

export function createDemoModel(): Model {
  return {
    async *stream(request, signal) {
      for (const chunk of toChunks(reply(request))) {
        signal.throwIfAborted();
        yield chunk;
      }
    },
  };
}

type Move = { readonly say: string } | { readonly call: Edit };

function reply(request: ModelRequest): ModelReply {
  const turn = readTurn(request.messages);
  const move = turn.result ? { say: reportResult(turn.result, turn.utterance) } : chooseMove(turn.utterance, request);
  // Whoever has just spoken by the tool need not do so again.
  const isDone = turn.result?.name === "send_message";
  return toReply(applyChoice(move, request, isDone), request);
}

interface Turn {
  /** The last thing the user really said; empty when only events have come. */
  readonly utterance: string;
  /** What the tool called since then gave, if one was. */
  readonly result: ToolReturn | undefined;
}

function readTurn(messages: readonly PromptMessage[]): Turn {
  const start = messages.findLastIndex((message) => readUtterance(message) !== undefined);
  const results = messages.slice(start + 1).flatMap((message) => (message.role === "tool" ? message.returns : []));
  const spoken = messages[start];
  return { utterance: (spoken && readUtterance(spoken)) ?? "", result: results.at(-1) };
}

/** Undefined for heartbeats, logins and alerts, which come in the user's place. */
function readUtterance(message: PromptMessage): string | undefined {
  if (message.role !== "user") return undefined;
  const text = textOf(message.content, " ");
  const envelope = parseJsonObject(text);
  if (typeof envelope?.type !== "string") return text;
  return envelope.type === "user_message" && typeof envelope.message === "string" ? envelope.message : undefined;
}

function chooseMove(utterance: string, request: ModelRequest): Move {
  const summary = request.toolChoice === "none" ? summariseTranscript(utterance) : undefined;
  if (summary !== undefined) return { say: summary };
  const intent = understand(utterance);
  const blocks = readBlocks(request.system);
  switch (intent.type) {
    case "note":
      return noteMove(intent, blocks, request.tools);
    case "forget":
      return forgetMove(intent, blocks, request.tools);
    case "recall":
      return { say: recallFacts(intent.name, blocks) };
    case "search-talk":
      return callOrSay("conversation_search", { query: intent.query, roles: ["user"] }, request.tools);
    case "search-archive":
      return callOrSay("archival_memory_search", { query: intent.query }, request.tools);
    case "archive":
      return callOrSay("archival_memory_insert", { content: intent.text }, request.tools);
    case "greet":
      return { say: greet(blocks) };
    case "thank":
      return { say: "You are welcome." };
    case "other":
      return { say: utterance.trim() === "" ? greet(blocks) : aboutMe };
  }
}

function callOrSay(tool: string, args: JsonObject, tools: readonly ToolDefinition[]): Move {
  const isOffered = tools.some(({ name }) => name === tool);
  return isOffered
    ? { call: { tool, arguments: args } }
    : { say: `I would need the tool ${tool} for that, and this agent does not have it.` };
}

function noteMove(
  { facts }: Extract<Intent, { type: "note" }>,
  blocks: readonly SeenBlock[],
  tools: readonly ToolDefinition[],
): Move {
  const block = chooseBlock(blocks);
  const edit = block && noteFacts(facts, block, tools);
  if (edit) return { call: edit };
  if (edit === null) return { say: `I have that noted already: ${facts.map(toLine).join("; ")}.` };
  const content = `About the user. ${facts.map(toLine).join(". ")}.`;
  if (tools.some(({ name }) => name === "archival_memory_insert")) {
    return { call: { tool: "archival_memory_insert", arguments: { content } } };
  }
  return { say: "I would like to note that, but this agent has no memory block and tool that I could use for it." };
}

function forgetMove(
  { words, text }: Extract<Intent, { type: "forget" }>,
  blocks: readonly SeenBlock[],
  tools: readonly ToolDefinition[],
): Move {
  const block = chooseBlock(blocks);
  const line = block && findLines(block, words)[0];
  const edit = line === undefined ? undefined : dropLine(line, block as SeenBlock, tools);
  return edit ? { call: edit } : { say: `I find nothing about "${text}" in my notes that I could take out.` };
}

/** What is asked of every model: to call this tool, any tool or none. Who speaks through a tool speaks through it. */
function applyChoice(move: Move, { tools, toolChoice }: ModelRequest, isDone: boolean): Move {
  if (toolChoice === "none") return "say" in move ? move : { say: aboutMe };
  const said = "say" in move ? move.say : aboutMe;
  if (typeof toolChoice === "object") {
    return "call" in move && move.call.tool === toolChoice.tool ? move : callBlindly(toolChoice.tool, said, tools);
  }
  if ("call" in move) return move;
  const names = tools.map(({ name }) => name);
  if (toolChoice === "auto" && isDone) return move;
  if (names.includes("send_message")) return callBlindly("send_message", said, tools);
  if (toolChoice === "auto") return move;
  const last = names.find((name) => /^(memory_finish_edits|finish_)/.test(name)) ?? names[0];
  return last === undefined ? move : callBlindly(last, said, tools);
}

/** Arguments that fit the schema, with the text wherever a text is asked for. */
function callBlindly(name: string, text: string, tools: readonly ToolDefinition[]): Move {
  const tool = tools.find((offered) => offered.name === name);
  return { call: { tool: name, arguments: fillSchema(tool?.parameters ?? {}, text) as JsonObject } };
}

function fillSchema(schema: JsonValue | undefined, text: string): JsonValue {
  const { type, properties, required, enum: choices, default: usual } = (schema ?? {}) as JsonObject;
  if (usual !== undefined) return usual;
  if (Array.isArray(choices) && choices.length > 0) return choices[0] as JsonValue;
  switch (Array.isArray(type) ? type[0] : type) {
    case "object": {
      const names = Array.isArray(required) ? required.map(String) : [];
      return Object.fromEntries(names.map((name) => [name, fillSchema((properties as JsonObject)?.[name], text)]));
    }
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    default:
      return text;
  }
}

function toReply(move: Move, request: ModelRequest): ModelReply {
  const text = "say" in move ? formatText(move.say, request) : "";
  const toolCalls = "call" in move ? [toToolCall(move.call, request)] : [];
  const completion = estimateTokens(text) + toolCalls.reduce((sum, call) => sum + estimateTokens(call.arguments), 0);
  const prompt = estimateTokens(request.system, JSON.stringify(request.messages), JSON.stringify(request.tools));
  return {
    content: text === "" ? [] : [{ type: "text", text }],
    toolCalls,
    finishReason: toolCalls.length > 0 ? "tool-calls" : "stop",
    usage: {
      promptTokens: prompt,
      completionTokens: completion,
      totalTokens: prompt + completion,
      cachedTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: null,
    },
  };
}

function formatText(text: string, { responseFormat }: ModelRequest): string {
  if (!responseFormat || responseFormat.type === "text") return text;
  const schema = responseFormat.type === "json_schema" ? (responseFormat.json_schema.schema as JsonValue) : undefined;
  return JSON.stringify(schema ? fillSchema(schema, text) : { message: text });
}

/** The same request gives the same id, so that a run taken up again makes the same call. */
function toToolCall({ tool, arguments: args }: Edit, { tools, messages }: ModelRequest): ToolCall {
  const { properties } = tools.find(({ name }) => name === tool)?.parameters ?? {};
  const has = (name: string) => typeof properties === "object" && properties !== null && name in properties;
  const thought = ["thinking", "inner_thoughts"].find(has);
  const thoughts = thought ? { [thought]: `A rule of the demo matched: ${tool}.` } : {};
  const full: JsonObject = {
    ...thoughts, // comes first
    ...args,
    ...thoughts,
    // Whoever only looks something up wants to speak about it afterwards.
    ...(has("request_heartbeat") ? { request_heartbeat: tool !== "send_message" } : {}),
  };
  const digest = createHash("sha256")
    .update(JSON.stringify([tool, full, messages]))
    .digest("hex");
  return { id: `call_${digest.slice(0, 24)}`, name: tool, arguments: JSON.stringify(full) };
}

/** Four characters to a token: an estimate, as good as a model without tokens can give. */
function estimateTokens(...texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
}
