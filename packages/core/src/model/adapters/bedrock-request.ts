/** Our request as the body of Bedrock's Converse, with cache points for the models that have a cache. */
import { type ContentPart, type PromptMessage, type ToolCall, textOf } from "../../shared/content.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import type { ModelRequest } from "../model.ts";
import { nativeReasoning, usesAdaptiveThinking } from "../reasoning.ts";
import { flattenCalls } from "./flatten-calls.ts";
import { cleanText, fitCallId, opening, parseArguments, readImage, wrapEvent } from "./prompt.ts";
import type { Concessions } from "./protocol.ts";
import { repairSequence } from "./sequence.ts";

type Fields = Record<string, unknown>;

interface ConverseMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly Fields[];
}

const smallestBudget = 1_024;
const smallestAnswer = 1_024;
const cachePoint = { cachePoint: { type: "default" } };

export function toConverseBody(request: ModelRequest, without: Concessions): Fields {
  const { system, tools, config } = request;
  const thinking = chooseThinking(config, without);
  const mark = isClaude(config) ? [cachePoint] : [];
  return {
    ...(system === "" ? {} : { system: [{ text: cleanText(system) }, ...mark] }),
    messages: markLast(toMessages(request, without), mark),
    ...(tools.length > 0
      ? { toolConfig: { tools: [...tools.map(toToolSpec), ...mark], toolChoice: chooseTool(request, thinking) } }
      : {}),
    inferenceConfig: {
      ...(config.maxOutputTokens === null ? {} : { maxTokens: limitOutput(config.maxOutputTokens, thinking) }),
      ...(thinking ? {} : { temperature: isClaude(config) ? Math.min(config.temperature, 1) : config.temperature }),
    },
    ...(thinking ? { additionalModelRequestFields: { ...thinking, ...toEffort(config) } } : {}),
  };
}

function isClaude({ model, handle }: ModelConfig): boolean {
  return /claude/.test(model) || /claude/.test(handle ?? "");
}

function chooseThinking({ reasoning, ...config }: ModelConfig, without: Concessions): { thinking: Fields } | undefined {
  const isThinker = nativeReasoning({ ...config, reasoning, endpointKind: "anthropic" }) !== "none";
  if (!isThinker || !reasoning.enabled || config.thoughtsInArguments || without.reasoning) return undefined;
  if (usesAdaptiveThinking(config.model)) return { thinking: { type: "adaptive" } };
  return { thinking: { type: "enabled", budget_tokens: Math.max(reasoning.budgetTokens, smallestBudget) } };
}

function toEffort({ effort, model }: ModelConfig): Fields {
  return effort && usesAdaptiveThinking(model) ? { output_config: { effort } } : {};
}

function limitOutput(limit: number, thinking: { thinking: Fields } | undefined): number {
  return Math.max(limit, Number(thinking?.thinking.budget_tokens ?? 0) + (thinking ? smallestAnswer : 0));
}

function toToolSpec({ name, description, parameters }: ModelRequest["tools"][number]): Fields {
  return { toolSpec: { name, description: cleanText(description) || name, inputSchema: { json: parameters } } };
}

/** A model that thinks cannot be forced; a request with tools cannot forbid them. */
function chooseTool({ toolChoice }: ModelRequest, thinking: object | undefined): Fields {
  if (thinking || toolChoice === "auto" || toolChoice === "none") return { auto: {} };
  return toolChoice === "required" ? { any: {} } : { tool: { name: toolChoice.tool } };
}

function toMessages({ messages, tools }: ModelRequest, without: Concessions): ConverseMessage[] {
  const repaired = repairSequence(messages);
  const converse = (tools.length > 0 ? repaired : flattenCalls(repaired)).map((message) => toMessage(message, without));
  const first = converse[0]?.role === "user" ? [] : [{ role: "user" as const, content: [{ text: opening }] }];
  const joined: ConverseMessage[] = [];
  for (const message of [...first, ...converse]) {
    const last = joined.at(-1);
    if (last?.role === message.role) {
      joined[joined.length - 1] = { role: last.role, content: [...last.content, ...message.content] };
    } else joined.push(message);
  }
  return joined;
}

function markLast(messages: readonly ConverseMessage[], mark: readonly Fields[]): ConverseMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, content: [...message.content, ...mark] } : message,
  );
}

function toMessage(message: PromptMessage, without: Concessions): ConverseMessage {
  switch (message.role) {
    case "system":
      return { role: "user", content: [{ text: wrapEvent(cleanText(textOf(message.content, "\n"))) }] };
    case "user":
      return { role: "user", content: message.content.flatMap(toUserBlock) };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...message.content.flatMap((part) => toAssistantBlock(part, without)),
          ...message.toolCalls.map(toToolUse),
        ],
      };
    case "tool":
      return {
        role: "user",
        content: message.returns.map(({ callId, status, output }) => ({
          toolResult: {
            toolUseId: toToolUseId(callId),
            content: [{ text: cleanText(output.trim() === "" ? "(empty)" : output) }],
            status,
          },
        })),
      };
  }
}

function toUserBlock(part: ContentPart): Fields[] {
  if (part.type === "text") return [{ text: cleanText(part.text) }];
  if (part.type !== "image") return [];
  const image = readImage(part.source);
  if (!image) return [{ text: "[Image omitted]" }];
  const { data, mediaType } = image;
  // It fetches nothing from the web.
  if (data.type === "url") return [{ text: `[Image at ${data.url}]` }];
  return [{ image: { format: mediaType.replace("image/", ""), source: { bytes: data.data } } }];
}

function toAssistantBlock(part: ContentPart, without: Concessions): Fields[] {
  if (part.type === "text") return [{ text: cleanText(part.text) }];
  if (without.reasoning) return [];
  switch (part.type) {
    case "reasoning":
      return part.isNative && part.signature !== undefined ? [toThought(part.text, part.signature)] : [];
    case "omitted-reasoning":
      return part.signature === undefined ? [] : [toThought("", part.signature)];
    case "redacted-reasoning":
      return [{ reasoningContent: { redactedContent: part.data } }];
    default:
      return [];
  }
}

function toThought(text: string, signature: string): Fields {
  return { reasoningContent: { reasoningText: { text, signature } } };
}

function toToolUse({ id, name, arguments: json }: ToolCall): Fields {
  return { toolUse: { toolUseId: toToolUseId(id), name, input: parseArguments(cleanText(json)) } };
}

function toToolUseId(id: string): string {
  return fitCallId(id, /^[\w-]{1,64}$/);
}
