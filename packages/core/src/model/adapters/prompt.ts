/** Our messages, tools and settings as a provider package takes them: what all providers have in common. */
import { createHash } from "node:crypto";
import {
  type ContentPart,
  type ImageSource,
  type PromptMessage,
  type ToolCall,
  type ToolDefinition,
  type ToolReturn,
  textOf,
} from "../../shared/content.ts";
import { parseJsonObject } from "../../shared/json.ts";
import type { ResponseFormat } from "../../shared/model-config.ts";
import type { ModelRequest } from "../model.ts";
import type {
  PackageAssistantPart,
  PackageMessage,
  PackageOptions,
  PackageReasoning,
  PackageTool,
  PackageUserPart,
} from "./package-types.ts";
import { repairSequence } from "./sequence.ts";
import { toStrictSchema } from "./strict-schema.ts";

export type ReasoningPart = Exclude<ContentPart, { type: "text" | "image" }>;

/** Where providers differ. */
export interface PromptStyle {
  /** Under which key the package looks for what only it understands. */
  readonly namespace: string;
  /** A message from the system in the middle of a conversation. */
  toSystemNote(text: string): PackageMessage;
  /** The reasoning this provider wants to see again, exactly as it came; nothing for that of others. */
  toReasoning(part: ReasoningPart): readonly PackageReasoning[];
  /** The form that call ids must have; others are replaced by a digest, alike in call and result. */
  readonly callId: RegExp;
  toArguments(json: string): unknown;
  readonly marksFailures: boolean;
}

export function toPackagePrompt(request: ModelRequest, style: PromptStyle): PackageMessage[] {
  const system: PackageMessage[] =
    request.system === "" ? [] : [{ role: "system", content: cleanText(request.system) }];
  return [...system, ...repairSequence(request.messages).map((message) => toPackageMessage(message, style))];
}

function toPackageMessage(message: PromptMessage, style: PromptStyle): PackageMessage {
  switch (message.role) {
    case "system":
      return style.toSystemNote(cleanText(textOf(message.content, "\n")));
    case "user":
      return {
        role: "user",
        content: message.content.flatMap((part) => toUserPart(part, style)),
        ...(message.name && /^[\w-]{1,64}$/.test(message.name)
          ? { providerOptions: { [style.namespace]: { name: message.name } } }
          : {}),
      };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...message.content.flatMap((part) => toAssistantPart(part, style)),
          ...message.toolCalls.map((call) => toPackageCall(call, style)),
        ],
      };
    case "tool":
      return { role: "tool", content: message.returns.map((result) => toPackageResult(result, style)) };
  }
}

function toAssistantPart(part: ContentPart, style: PromptStyle): readonly PackageAssistantPart[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: cleanText(part.text) }];
    case "image":
      return []; // no provider takes back an image from its model
    default:
      return style.toReasoning(part);
  }
}

function toPackageCall({ id, name, arguments: json }: ToolCall, style: PromptStyle) {
  return {
    type: "tool-call" as const,
    toolCallId: toCallId(id, style),
    toolName: name,
    input: style.toArguments(cleanText(json)),
  };
}

function toPackageResult({ callId, name, status, output }: ToolReturn, style: PromptStyle) {
  const type = status === "error" && style.marksFailures ? ("error-text" as const) : ("text" as const);
  return {
    type: "tool-result" as const,
    toolCallId: toCallId(callId, style),
    toolName: name,
    output: { type, value: cleanText(output) },
  };
}

function toUserPart(part: ContentPart, { namespace }: PromptStyle): PackageUserPart[] {
  if (part.type === "text") return [{ type: "text", text: cleanText(part.text) }];
  if (part.type !== "image") return [];
  const image = readImage(part.source);
  if (!image) return [{ type: "text", text: "[Image omitted]" }];
  const { detail } = part.source;
  return [{ type: "file", ...image, ...(detail ? { providerOptions: { [namespace]: { imageDetail: detail } } } : {}) }];
}

export interface PackageImage {
  readonly data: { readonly type: "data"; readonly data: string } | { readonly type: "url"; readonly url: URL };
  readonly mediaType: string;
}

/** Undefined for what cannot be sent: an address that is none, or an image that nobody fetched from the store. */
export function readImage(source: ImageSource): PackageImage | undefined {
  switch (source.type) {
    case "stored":
      return undefined;
    case "base64":
      return { data: { type: "data", data: source.data }, mediaType: nameImageType(source.mediaType) };
    case "url": {
      const inline = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(source.url);
      if (inline) return { data: { type: "data", data: inline[2] ?? "" }, mediaType: nameImageType(inline[1] ?? "") };
      const url = URL.parse(source.url);
      return url ? { data: { type: "url", url }, mediaType: "image/*" } : undefined;
    }
  }
}

/** Anthropic refuses the common misspelling. */
function nameImageType(mediaType: string): string {
  return mediaType.toLowerCase() === "image/jpg" ? "image/jpeg" : mediaType;
}

function toCallId(id: string, { callId }: PromptStyle): string {
  return fitCallId(id, callId);
}

/** The same id, or a digest of it where the provider would refuse it. */
export function fitCallId(id: string, form: RegExp): string {
  return form.test(id) ? id : `call_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;
}

/** A message from the system in the words of a user, for providers that take only one at the beginning. */
export function wrapEvent(text: string): string {
  return `<event>\nSYSTEM ALERT: ${text.replaceAll(/<(?=\s*(?:\/\s*)?event\b)/gi, "&lt;")}\n</event>`;
}

/** What opens a conversation that the assistant began, where the user must. */
export const opening = "(The conversation begins.)";

/** Without halves of characters: providers refuse the whole request for one. */
export function cleanText(text: string): string {
  return text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, "");
}

/** An object, whatever the model wrote: a call that could not be read was answered with an error, which tells it so. */
export function parseArguments(json: string): object {
  return parseJsonObject(json) ?? {};
}

export interface StrictTools {
  readonly isWanted: boolean;
  /** Also says of each tool that it is not strict. */
  readonly isExplicit: boolean;
}

export function toPackageTools(tools: readonly ToolDefinition[], strict: StrictTools): PackageTool[] {
  return tools.map(({ name, description, parameters }) => {
    const schema = strict.isWanted ? toStrictSchema(parameters) : undefined;
    return {
      type: "function",
      name,
      description: cleanText(description),
      inputSchema: (schema ?? parameters) as PackageTool["inputSchema"],
      ...(schema || strict.isExplicit ? { strict: schema !== undefined } : {}),
    };
  });
}

export function toPackageChoice({ tools, toolChoice }: ModelRequest): PackageOptions["toolChoice"] {
  if (tools.length === 0) return undefined;
  return typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.tool };
}

type PackageFormat = Extract<PackageOptions["responseFormat"], { type: "json" }>;

export function toPackageFormat(format: ResponseFormat | null): PackageFormat | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  const { schema, name, description } = format.json_schema;
  return {
    type: "json",
    schema: (typeof schema === "object" && schema !== null ? schema : format.json_schema) as PackageFormat["schema"],
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof description === "string" ? { description } : {}),
  };
}
