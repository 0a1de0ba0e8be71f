/** From what clients of OpenAI say to what agents hear, and agents as the models such clients list. */
import { type AgentView, type ContentPart, MemoirError } from "@memoir/core";
import type { AgentModelWire, ChatCompletionWire } from "./schema.ts";

/** The last thing the user said: a text, or parts. */
export function readSaid({ messages }: ChatCompletionWire): ContentPart[] {
  const said = messages.findLast(({ role }) => role === "user");
  if (!said) throw refuse("messages", "there is no user message");
  const input = Array.isArray(said.content) ? said.content : [{ type: "text", text: said.content }];
  const parts = input.flatMap(fromPart);
  if (parts.every((part) => part.type === "text" && part.text === "")) {
    throw refuse("messages", "the last user message has no text");
  }
  return parts;
}

interface GivenPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly image_url?: { readonly url?: unknown } | null;
}

function fromPart(input: unknown): ContentPart[] {
  const part = (typeof input === "object" && input !== null ? input : {}) as GivenPart;
  if (typeof part.text === "string") return [{ type: "text", text: part.text }];
  if (part.type !== "image_url") return [];
  const url = part.image_url?.url;
  if (typeof url !== "string" || !/^(https?|data):/.test(url)) {
    throw refuse("messages", "image_url.url must be an http, https or data address");
  }
  return [{ type: "image", source: { type: "url", url } }];
}

export function toAgentModel({ agent: { id, name, createdAt } }: AgentView): AgentModelWire {
  return { id, object: "model", created: Math.floor(createdAt / 1_000_000), owned_by: "memoir", name };
}

export function refuse(field: string, message: string): MemoirError {
  return new MemoirError("invalid-argument", message, { details: { field } });
}
