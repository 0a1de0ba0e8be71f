/** Our request as the body of Chat Completions, for servers that are compatible with it, each in its own way. */
import { createHash } from "node:crypto";
import {
  type ContentPart,
  type PromptMessage,
  type ToolCall,
  type ToolDefinition,
  textOf,
} from "../../shared/content.ts";
import type { ChatQuirks } from "../../shared/provider-row.ts";
import type { ModelRequest } from "../model.ts";
import { toChatThinking } from "./chat-thinking.ts";
import { flattenCalls } from "./flatten-calls.ts";
import { cleanText, parseArguments, readImage, wrapEvent } from "./prompt.ts";
import type { Concessions } from "./protocol.ts";
import { repairSequence } from "./sequence.ts";
import { toStrictSchema } from "./strict-schema.ts";

export type ChatBody = Record<string, unknown>;

export function toChatBody(request: ModelRequest, quirks: ChatQuirks, baseUrl: string, without: Concessions): ChatBody {
  const { config, responseFormat } = request;
  const tools = without.tools ? [] : request.tools;
  const body: ChatBody = {
    model: config.model,
    messages: toChatMessages(request, quirks, without),
    ...(tools.length > 0 ? toToolFields(request, quirks, baseUrl) : {}),
    ...toSampling(request),
    ...(config.maxOutputTokens === null ? {} : { [quirks.limitField ?? "max_tokens"]: config.maxOutputTokens }),
    ...(responseFormat && responseFormat.type !== "text" ? { response_format: responseFormat } : {}),
    ...toChatThinking(config, quirks),
    ...(quirks.isLocal && /glm-5/i.test(config.model) ? { stop: glmEnds } : {}),
  };
  return leaveOut(body, without.fields ?? []);
}

/** What ends a turn for the family; servers that do not know it let the model play the user as well. */
const glmEnds = ["<|user|>", "<|observation|>", "<|endoftext|>"];

/** A limit under its older or newer name is better than none. */
function leaveOut(body: ChatBody, fields: readonly string[]): ChatBody {
  const left = Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name)));
  const limits = ["max_tokens", "max_completion_tokens"];
  const refused = limits.find((name) => fields.includes(name) && name in body);
  const other = limits.find((name) => !fields.includes(name));
  return refused !== undefined && other !== undefined ? { ...left, [other]: body[refused] } : left;
}

function toSampling({ config: { model, temperature, frequencyPenalty } }: ModelRequest): ChatBody {
  if (/deepseek-reasoner/.test(model)) return {};
  const takesPenalty = !/grok-(3-mini|4|code)/.test(model) || /non-reasoning/.test(model);
  return {
    temperature,
    ...(frequencyPenalty === null || !takesPenalty ? {} : { frequency_penalty: frequencyPenalty }),
  };
}

function toToolFields(request: ModelRequest, quirks: ChatQuirks, baseUrl: string): ChatBody {
  const isStrict = quirks.takesStrict === "always" || (request.config.strict && quirks.takesStrict === true);
  return {
    tools: request.tools.map((tool) => toChatTool(tool, isStrict)),
    tool_choice: chooseTool(request, quirks, baseUrl),
    ...(quirks.takesParallel ? { parallel_tool_calls: request.parallelToolCalls } : {}),
  };
}

function toChatTool({ name, description, parameters }: ToolDefinition, isStrict: boolean): ChatBody {
  const strict = isStrict ? toStrictSchema(parameters) : undefined;
  return {
    type: "function",
    function: {
      name,
      description: cleanText(description),
      parameters: strict ?? parameters,
      ...(strict ? { strict: true } : {}),
    },
  };
}

function chooseTool({ toolChoice, config }: ModelRequest, quirks: ChatQuirks, baseUrl: string): unknown {
  const isNebius = /(^|\.)nebius\.(ai|com)$/.test(URL.parse(baseUrl)?.hostname ?? "");
  if (quirks.toolChoice === "auto" || config.weightsFormat === "mlx" || isNebius) {
    return toolChoice === "none" ? "none" : "auto";
  }
  if (typeof toolChoice === "string") return toolChoice;
  return quirks.toolChoice === "unnamed" ? "required" : { type: "function", function: { name: toolChoice.tool } };
}

function toChatMessages(request: ModelRequest, quirks: ChatQuirks, without: Concessions): ChatBody[] {
  const repaired = repairSequence(request.messages);
  const messages = without.tools ? flattenCalls(repaired) : repaired;
  const turn = messages.findLastIndex(({ role }) => role === "user");
  const system = request.system === "" ? [] : [{ role: "system", content: cleanText(request.system) }];
  const chat = messages.flatMap((message, index) =>
    toChatMessage(message, quirks, quirks.keepsThoughts === true && index > turn, request),
  );
  // Templates of many local models insist that user and assistant take turns.
  return [...system, ...(quirks.isLocal ? joinUsers(chat) : chat)];
}

function toChatMessage(
  message: PromptMessage,
  quirks: ChatQuirks,
  hasThoughts: boolean,
  { config }: ModelRequest,
): ChatBody[] {
  switch (message.role) {
    case "system":
      return [{ role: "user", content: wrapEvent(cleanText(textOf(message.content, "\n"))) }];
    case "user":
      return [{ role: "user", content: toUserContent(message.content) }];
    case "assistant": {
      const text = cleanText(textOf(message.content, "\n"));
      const empty = /gpt-oss/i.test(config.model) ? "" : null;
      return [
        {
          role: "assistant",
          content: text === "" ? empty : text,
          ...(hasThoughts ? { reasoning_content: joinThoughts(message.content) } : {}),
          ...(message.toolCalls.length > 0
            ? { tool_calls: message.toolCalls.map((call) => toChatCall(call, quirks)) }
            : {}),
        },
      ];
    }
    case "tool":
      return message.returns.map(({ callId, output }) => ({
        role: "tool",
        tool_call_id: toCallId(callId, quirks),
        content: cleanText(output.trim() === "" ? (quirks.emptyText ?? output) : output),
      }));
  }
}

function toChatCall({ id, name, arguments: json }: ToolCall, quirks: ChatQuirks): ChatBody {
  const clean = cleanText(json);
  const isReadable = Object.keys(parseArguments(clean)).length > 0;
  return { id: toCallId(id, quirks), type: "function", function: { name, arguments: isReadable ? clean : "{}" } };
}

const defaultId = { form: /^[\w-]{1,64}$/, length: 24 };

function toCallId(id: string, { callId = defaultId }: ChatQuirks): string {
  if (callId.form.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, callId.length);
}

function joinThoughts(content: readonly ContentPart[]): string {
  return content
    .flatMap((part) => (part.type === "reasoning" && part.isNative ? [cleanText(part.text)] : []))
    .join("\n");
}

function toUserContent(content: readonly ContentPart[]): unknown {
  if (content.every(({ type }) => type === "text")) return cleanText(textOf(content, "\n"));
  return content.flatMap((part): ChatBody[] => {
    if (part.type === "text") return [{ type: "text", text: cleanText(part.text) }];
    if (part.type !== "image") return [];
    const image = readImage(part.source);
    if (!image) return [{ type: "text", text: "[Image omitted]" }];
    const { data, mediaType } = image;
    const url = data.type === "url" ? data.url.toString() : `data:${mediaType};base64,${data.data}`;
    return [{ type: "image_url", image_url: { url } }];
  });
}

function joinUsers(messages: readonly ChatBody[]): ChatBody[] {
  const joined: ChatBody[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === "user" && message.role === "user") {
      joined[joined.length - 1] = { role: "user", content: joinContent(last.content, message.content) };
    } else joined.push(message);
  }
  return joined;
}

function joinContent(first: unknown, second: unknown): unknown {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  const toParts = (content: unknown) => (Array.isArray(content) ? content : [{ type: "text", text: content }]);
  return [...toParts(first), ...toParts(second)];
}
