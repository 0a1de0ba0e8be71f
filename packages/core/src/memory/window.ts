/** Stored messages as a model is to see them: whole sequences only, whatever an import or an old database left behind. */
import type { ContentPart, PromptMessage, ToolCall, ToolReturn } from "../shared/content.ts";
import type { Message } from "../store/conversations/messages.ts";
import { toolReturnEnvelope } from "./envelopes.ts";

/** Nothing where the message has nothing to show. */
export function toPromptMessage(message: Message, timezone: string): PromptMessage | undefined {
  const content = (message.content ?? []).filter(isShown);
  switch (message.role) {
    case "user":
    case "summary":
      return content.length === 0
        ? undefined
        : { role: "user", content, ...(message.name ? { name: message.name } : {}) };
    case "system":
      return content.length === 0 ? undefined : { role: "system", content };
    case "assistant": {
      const toolCalls = message.toolCalls ?? [];
      return content.length === 0 && toolCalls.length === 0 ? undefined : { role: "assistant", content, toolCalls };
    }
    case "tool": {
      const returns = message.toolReturns ?? [];
      return returns.length === 0
        ? undefined
        : { role: "tool", returns: returns.map((item) => packReturn(item, message, timezone)) };
    }
    case "approval": {
      const toolCalls = (message.toolCalls ?? []).map(({ isAsked: _, ...call }) => call);
      return toolCalls.length === 0 ? undefined : { role: "assistant", content, toolCalls, isSequel: true };
    }
  }
}

function isShown(part: ContentPart): boolean {
  return part.type !== "text" || part.text !== "";
}

/** A result in the envelope that models see it in. */
export function packReturn(item: ToolReturn, message: Message, timezone: string): ToolReturn {
  const time = { at: message.createdAt, timezone };
  return { ...item, output: toolReturnEnvelope(item.output, item.status === "error", time) };
}

/** Leaves out calls without a result and results without a call, so that no provider refuses the whole. */
export function dropUnpairedCalls(input: readonly PromptMessage[]): PromptMessage[] {
  const messages = joinSequels(input);
  const sound: PromptMessage[] = [];
  for (const [index, message] of messages.entries()) {
    // Results are taken together with the calls they answer.
    if (message.role === "tool") continue;
    if (message.role !== "assistant" || message.toolCalls.length === 0) {
      sound.push(message);
      continue;
    }
    const returns = resultsAfter(messages, index, message.toolCalls);
    const answered = new Set(returns.map(({ callId }) => callId));
    const toolCalls = message.toolCalls.filter(({ id }) => answered.has(id));
    if (toolCalls.length > 0 || message.content.length > 0) sound.push({ ...message, toolCalls });
    if (returns.length > 0) sound.push({ role: "tool", returns });
  }
  return sound;
}

/** What the agent said in one breath is one message to a provider, however it is stored. */
function joinSequels(messages: readonly PromptMessage[]): PromptMessage[] {
  const joined: PromptMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== "assistant" || !message.isSequel) {
      joined.push(message);
      continue;
    }
    const { content, toolCalls } = message;
    if (last?.role === "assistant") {
      joined[joined.length - 1] = {
        role: "assistant",
        content: [...last.content, ...content],
        toolCalls: [...last.toolCalls, ...toolCalls],
      };
    } else {
      joined.push({ role: "assistant", content, toolCalls });
    }
  }
  return joined;
}

/** Of the messages right after it, however many the results are spread over; the first of each call counts. */
function resultsAfter(messages: readonly PromptMessage[], index: number, calls: readonly ToolCall[]): ToolReturn[] {
  const open = new Set(calls.map(({ id }) => id));
  const results: ToolReturn[] = [];
  for (let next = messages[++index]; next?.role === "tool"; next = messages[++index]) {
    results.push(...next.returns.filter(({ callId }) => open.delete(callId)));
  }
  return results;
}

/** Only users send images. */
export function hasImage(message: PromptMessage): message is Extract<PromptMessage, { role: "user" }> {
  return message.role === "user" && message.content.some(({ type }) => type === "image");
}
