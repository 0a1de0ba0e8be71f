/** A model's answer put into the form in which it is kept. */
import type { ModelReply } from "../../model/model.ts";
import type { ContentPart, ToolCall } from "../../shared/content.ts";
import { parseJsonObject } from "../../shared/json.ts";
import { thoughtArgument } from "../../shared/kind-traits.ts";
import type { Turn } from "../turn.ts";
import { isParallel } from "./request.ts";

export interface KeptReply {
  readonly content: readonly ContentPart[];
  readonly toolCalls: readonly ToolCall[];
}

export function normalizeReply(turn: Turn, reply: ModelReply): KeptReply {
  const toolCalls = distinctCalls((isParallel(turn) ? reply.toolCalls : reply.toolCalls.slice(0, 1)).map(cleanCall));
  const content = reply.content.filter(isSomething);
  if (!turn.traits.speaksByTool) return { content, toolCalls };
  return toolCalls.map(takeThought).reduce<KeptReply>(
    (kept, { call, thought }) => ({
      content: thought === "" ? kept.content : [...kept.content, { type: "text", text: thought }],
      toolCalls: [...kept.toolCalls, call],
    }),
    { content, toolCalls: [] },
  );
}

/** Names and ids stand in columns of their own, where PostgreSQL takes no NUL. */
function cleanCall(call: ToolCall): ToolCall {
  const clean = (text: string) => text.replaceAll("\0", "").toWellFormed();
  return { ...call, id: clean(call.id), name: clean(call.name) };
}

const isSomething = (part: ContentPart) => part.type !== "text" || part.text !== "" || part.signature !== undefined;

/** Two calls under one id cannot both be answered; the first counts. */
function distinctCalls(calls: readonly ToolCall[]): ToolCall[] {
  return [...new Map([...calls].reverse().map((call) => [call.id, call])).values()].reverse();
}

/** The thought a model was asked to put into the arguments is kept as its text. */
function takeThought(call: ToolCall): { call: ToolCall; thought: string } {
  const args = parseJsonObject(call.arguments || "{}");
  if (!args || !(thoughtArgument in args)) return { call, thought: "" };
  const { [thoughtArgument]: thought, ...rest } = args;
  return { call: { ...call, arguments: JSON.stringify(rest) }, thought: String(thought ?? "") };
}
