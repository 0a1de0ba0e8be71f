/**
 * The last resort when a request is still too large for the model's window: long texts lose their middles, then the
 * oldest messages are left out. Only the request is changed; what is stored stays whole.
 */
import type { ContentPart, PromptMessage } from "../shared/content.ts";
import type { Omission } from "../shared/prompt-snapshot.ts";
import { type TokenCounter, textsOf } from "./tokens.ts";
import { cutMiddle } from "./transcript.ts";
import { dropUnpairedCalls } from "./window.ts";

const shortest = 200;

export function truncateMessages(
  messages: readonly PromptMessage[],
  maxTokens: number,
  counter: TokenCounter,
): PromptMessage[] {
  const total = (list: readonly PromptMessage[]) => list.reduce((sum, message) => sum + counter.message(message), 0);
  let squeezed = [...messages];
  let tokens = total(squeezed);
  let longest = messages.flatMap(textsOf).reduce((most, { length }) => Math.max(most, length), shortest);
  while (tokens > maxTokens && longest > shortest) {
    longest = Math.max(shortest, Math.floor(longest / 2));
    squeezed = messages.map((message) => cutTexts(message, longest));
    tokens = total(squeezed);
  }
  return tokens > maxTokens ? dropUnpairedCalls(dropOldest(squeezed, tokens - maxTokens, counter)) : squeezed;
}

/** The newest stays, notes of the system aside, and its call if it is a result: without, nothing would be left to ask. */
function dropOldest(messages: readonly PromptMessage[], excess: number, counter: TokenCounter): PromptMessage[] {
  const newest = messages.findLastIndex(({ role }) => role !== "system");
  const last = messages[newest]?.role === "tool" ? newest - 1 : newest < 0 ? messages.length - 1 : newest;
  let left = excess;
  let start = 0;
  for (; left > 0 && start < last; start++) left -= counter.message(messages[start] as PromptMessage);
  return messages.slice(start);
}

function cutTexts(message: PromptMessage, most: number): PromptMessage {
  if (textsOf(message).every(({ length }) => length <= most)) return message;
  switch (message.role) {
    case "tool":
      return {
        ...message,
        returns: message.returns.map((item) => ({ ...item, output: cutMiddle(item.output, most) })),
      };
    case "assistant":
      return {
        ...message,
        content: message.content.map((part) => cutPart(part, most)),
        toolCalls: message.toolCalls.map((call) =>
          call.arguments.length <= most
            ? call
            : { ...call, arguments: '{"note":"arguments left out for want of room"}' },
        ),
      };
    default:
      return { ...message, content: message.content.map((part) => cutPart(part, most)) };
  }
}

/** Signed parts are left alone: the provider would not know them again. */
function cutPart(part: ContentPart, most: number): ContentPart {
  if (part.type !== "text" || part.signature !== undefined) return part;
  return { ...part, text: cutMiddle(part.text, most) };
}

/** A tool result that is longer than this is shown in part, however much room there is. */
export function returnChars(contextWindow: number): number {
  return Math.max(5_000, Math.floor(contextWindow * 0.2 * 4));
}

export function capReturns(message: PromptMessage, most: number): PromptMessage {
  if (message.role !== "tool" || message.returns.every(({ output }) => output.length <= most)) return message;
  const returns = message.returns.map((item) =>
    item.output.length <= most
      ? item
      : { ...item, output: `${item.output.slice(0, most)}... [truncated ${item.output.length - most} chars]` },
  );
  return { ...message, returns };
}

/** What a provider refuses to be shown is not shown to it; what is stored stays. */
export function omit(messages: readonly PromptMessage[], without: Omission | undefined): readonly PromptMessage[] {
  if (without === "images") return messages.map(withoutImages);
  if (without === "history") return messages.slice(beginningOfExchange(messages)).map(withoutImages);
  return messages;
}

const unread: ContentPart = { type: "text", text: "[an image that could not be read]" };

function withoutImages(message: PromptMessage): PromptMessage {
  if (message.role !== "user" || message.content.every(({ type }) => type !== "image")) return message;
  return { ...message, content: message.content.map((part) => (part.type === "image" ? unread : part)) };
}

/** The last thing said to the agent, and what it has done about it. */
function beginningOfExchange(messages: readonly PromptMessage[]): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
}
