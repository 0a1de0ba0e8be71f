/**
 * Which text of a message can be found again: what was said, in plain words. Envelopes are unwrapped, events from the
 * system have none, and neither has anything that belongs to a search, or searches would find themselves.
 */
import type { ContentPart } from "../shared/content.ts";
import { type JsonObject, parseJsonObject } from "../shared/json.ts";
import type { Message } from "../store/conversations/messages.ts";

export type Utterance = Pick<Message, "role" | "name" | "content" | "toolCalls" | "toolReturns">;

/** What was said, and what was thought while saying it. */
export interface Words {
  readonly thinking?: string;
  readonly content?: string;
}

/** Under the megabyte PostgreSQL can index of one text, whatever the words. */
const longestText = 100_000;

/** Null where the message has nothing to find. */
export function searchTextOf(message: Utterance): string | null {
  const { content, thinking } = wordsOf(message) ?? {};
  const text = [content, thinking].filter((part) => part !== undefined && part.trim() !== "").join("\n");
  // A character may not be cut in half, and PostgreSQL takes no NUL.
  return text.replaceAll("\0", "").slice(0, longestText).toWellFormed() || null;
}

export function wordsOf(message: Utterance): Words | undefined {
  switch (message.role) {
    case "user":
      return spoken(unwrapEvent(textOf(message.content)));
    case "assistant":
    // A reply whose calls wait for an answer.
    case "approval":
      return wordsOfAssistant(message);
    case "tool":
      return spoken(outputOf(message));
    default:
      return undefined;
  }
}

const speakingTool = "send_message";
const searchingTool = "conversation_search";
const silentTools: ReadonlySet<string> = new Set([speakingTool, searchingTool]);

function wordsOfAssistant({ content, toolCalls }: Utterance): Words | undefined {
  const calls = toolCalls ?? [];
  if (calls.some(({ name }) => name === searchingTool)) return undefined;
  const said = calls.filter(({ name }) => name === speakingTool).map((call) => spokenArgument(call.arguments));
  const [text, reasoning] = [textOf(content), reasoningOf(content)];
  if (said.length > 0) return wordsFrom(said.filter((part) => part !== "").join("\n"), text || reasoning);
  return text === "" ? wordsFrom("", reasoning) : wordsFrom(text, "");
}

function wordsFrom(content: string, thinking: string): Words | undefined {
  if (content === "" && thinking === "") return undefined;
  return { ...(thinking === "" ? {} : { thinking }), ...(content === "" ? {} : { content }) };
}

const spoken = (content: string): Words | undefined => wordsFrom(content, "");

function textOf(content: readonly ContentPart[] | null): string {
  return joinParts(content, (part) => (part.type === "text" ? [part.text] : []));
}

function reasoningOf(content: readonly ContentPart[] | null): string {
  return joinParts(content, (part) => {
    if (part.type === "reasoning") return [part.text];
    return part.type === "summarized-reasoning" ? part.summary.map(({ text }) => text) : [];
  });
}

function joinParts(content: readonly ContentPart[] | null, read: (part: ContentPart) => readonly string[]): string {
  const texts = (content ?? []).flatMap(read);
  return texts.filter((text) => text.trim() !== "").join(" ");
}

/** The message argument of a call; with a response format it may be an object. */
function spokenArgument(args: string): string {
  const message = readObject(args)?.message;
  if (typeof message === "string") return message;
  return message === undefined || message === null ? "" : JSON.stringify(message);
}

const silentEvents: ReadonlySet<unknown> = new Set(["heartbeat", "login"]);
const wrappingEvents: ReadonlySet<unknown> = new Set(["user_message", "system_alert"]);

function unwrapEvent(text: string): string {
  const event = readObject(text);
  if (silentEvents.has(event?.type)) return "";
  return wrappingEvents.has(event?.type) && typeof event?.message === "string" ? event.message : text;
}

/** What tools answered, without the envelope it may stand in. */
function outputOf({ name, content, toolReturns }: Utterance): string {
  if (toolReturns && toolReturns.length > 0) {
    const audible = toolReturns.filter((item) => !silentTools.has(item.name ?? name ?? ""));
    return audible.map(({ output }) => unwrapOutput(output)).join("\n");
  }
  return silentTools.has(name ?? "") ? "" : unwrapOutput(textOf(content));
}

function unwrapOutput(text: string): string {
  const envelope = readObject(text);
  if (!envelope || !("status" in envelope) || !("message" in envelope)) return text;
  const { message } = envelope;
  return typeof message === "string" ? message : message === null ? "" : JSON.stringify(message);
}

function readObject(text: string): JsonObject | undefined {
  return text.trimStart().startsWith("{") ? parseJsonObject(text) : undefined;
}
