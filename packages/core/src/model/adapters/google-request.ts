/** Our request as the body of Gemini's `generateContent`. */
import { type ContentPart, type PromptMessage, type ToolCall, textOf } from "../../shared/content.ts";
import type { ModelRequest } from "../model.ts";
import { nativeReasoning } from "../reasoning.ts";
import { toGoogleSchema } from "./google-schema.ts";
import { cleanText, opening, parseArguments, readImage, toPackageFormat, wrapEvent } from "./prompt.ts";
import { repairSequence } from "./sequence.ts";

type Fields = Record<string, unknown>;

interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly Fields[];
}

export function toGoogleBody(request: ModelRequest): Fields {
  const { system, tools, config } = request;
  return {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: cleanText(system) }] } }),
    contents: toContents(request),
    ...(tools.length > 0
      ? { tools: [{ functionDeclarations: toDeclarations(request) }], toolConfig: toMode(request) }
      : {}),
    generationConfig: {
      temperature: config.temperature,
      ...(config.maxOutputTokens === null ? {} : { maxOutputTokens: config.maxOutputTokens }),
      ...toFormat(request),
      ...toThinking(request),
    },
  };
}

/** For a conversation that was signed for another account. */
export function withoutSignatures(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message): PromptMessage => {
    if (message.role !== "assistant") return message;
    return {
      ...message,
      content: message.content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : part)),
      toolCalls: message.toolCalls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
    };
  });
  return { ...request, messages };
}

function toDeclarations({ tools }: ModelRequest): Fields[] {
  return tools.map(({ name, description, parameters }) => {
    const schema = toGoogleSchema(parameters);
    // An object without properties is refused.
    return { name, description: cleanText(description), ...(schema.properties ? { parameters: schema } : {}) };
  });
}

function toMode({ toolChoice, tools }: ModelRequest): Fields {
  if (toolChoice === "auto" || toolChoice === "none") {
    return { functionCallingConfig: { mode: toolChoice.toUpperCase() } };
  }
  const allowedFunctionNames = toolChoice === "required" ? tools.map(({ name }) => name) : [toolChoice.tool];
  return { functionCallingConfig: { mode: "ANY", allowedFunctionNames } };
}

function toFormat({ responseFormat, tools }: ModelRequest): Fields {
  const format = toPackageFormat(responseFormat);
  // Refused together with tools.
  if (!format || tools.length > 0) return {};
  const schema = format.schema === undefined ? {} : { responseSchema: toGoogleSchema(format.schema as never) };
  return { responseMimeType: "application/json", ...schema };
}

function toThinking({ config }: ModelRequest): Fields {
  const native = nativeReasoning({ ...config, endpointKind: "google_ai" });
  if (native === "none") return {};
  const { enabled, effort, budgetTokens } = config.reasoning;
  if (native === "toggle" && !enabled) return { thinkingConfig: { includeThoughts: false, thinkingBudget: 0 } };
  // The third generation has levels instead of budgets, and chooses by itself unless told.
  const isNewer = /^gemini-[3-9]/.test(config.model);
  const level = effort === null ? {} : { thinkingLevel: /^(none|minimal|low)$/.test(effort) ? "low" : "high" };
  const amount = isNewer ? level : budgetTokens > 0 ? { thinkingBudget: budgetTokens } : {};
  return { thinkingConfig: { includeThoughts: true, ...amount } };
}

function toContents({ messages, config }: ModelRequest): Content[] {
  const contents = repairSequence(messages).map((message) => toContent(message, config.model));
  const first = contents[0]?.role === "user" ? [] : [{ role: "user" as const, parts: [{ text: opening }] }];
  return joinRoles([...first, ...contents]);
}

function joinRoles(contents: readonly Content[]): Content[] {
  const joined: Content[] = [];
  for (const content of contents) {
    const last = joined.at(-1);
    if (last?.role === content.role) {
      joined[joined.length - 1] = { role: last.role, parts: [...last.parts, ...content.parts] };
    } else joined.push(content);
  }
  return joined;
}

function toContent(message: PromptMessage, model: string): Content {
  switch (message.role) {
    case "system":
      return { role: "user", parts: [{ text: wrapEvent(cleanText(textOf(message.content, "\n"))) }] };
    case "user":
      return { role: "user", parts: message.content.flatMap(toUserPart) };
    case "assistant":
      return {
        role: "model",
        parts: [
          ...message.content.flatMap(toModelPart),
          ...message.toolCalls.map((call, index) => toCallPart(call, index === 0, model)),
        ],
      };
    case "tool":
      return {
        role: "user",
        parts: message.returns.map(({ name, status, output }) => ({
          functionResponse: { name, response: { [status === "error" ? "error" : "output"]: cleanText(output) } },
        })),
      };
  }
}

function toUserPart(part: ContentPart): Fields[] {
  if (part.type === "text") return [{ text: cleanText(part.text) }];
  if (part.type !== "image") return [];
  const image = readImage(part.source);
  if (!image) return [{ text: "[Image omitted]" }];
  const { data, mediaType } = image;
  // It fetches nothing from the web.
  if (data.type === "url") return [{ text: `[Image at ${data.url}]` }];
  return [{ inlineData: { mimeType: mediaType, data: data.data } }];
}

/** Thoughts stay behind: what makes the model remember them is the signature on what followed. */
function toModelPart(part: ContentPart): Fields[] {
  if (part.type !== "text") return [];
  return [
    { text: cleanText(part.text), ...(part.signature === undefined ? {} : { thoughtSignature: part.signature }) },
  ];
}

/** Google's own word for a call of which there is no signature: another model made it. */
const unsigned = "skip_thought_signature_validator";

function toCallPart({ name, arguments: json, signature }: ToolCall, isFirst: boolean, model: string): Fields {
  const needsOne = isFirst && /^gemini-[3-9]/.test(model);
  const sign = signature ?? (needsOne ? unsigned : undefined);
  return {
    functionCall: { name, args: parseArguments(cleanText(json)) },
    ...(sign === undefined ? {} : { thoughtSignature: sign }),
  };
}
