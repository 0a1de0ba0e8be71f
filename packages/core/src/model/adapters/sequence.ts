/**
 * Makes any list of messages one that every provider takes: each call answered right after it, no answer without a call,
 * nothing empty. What the loop writes passes unchanged; the rest is for imported histories, which would otherwise leave
 * an agent that no message can wake.
 */
import type { ContentPart, PromptMessage, ToolCall, ToolReturn } from "../../shared/content.ts";

type AssistantMessage = Extract<PromptMessage, { role: "assistant" }>;

export function repairSequence(messages: readonly PromptMessage[]): PromptMessage[] {
  const repaired: PromptMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as PromptMessage;
    if (message.role === "tool") continue; // not behind a call, or it would have been taken along
    if (message.role !== "assistant") {
      repaired.push(...fillSpoken(message));
      continue;
    }
    const returns = takeReturns(messages, index + 1);
    const isLast = index + 1 === messages.length;
    repaired.push(...answerCalls(message, returns, isLast));
  }
  return repaired;
}

function takeReturns(messages: readonly PromptMessage[], from: number): ToolReturn[] {
  const returns: ToolReturn[] = [];
  for (let index = from; index < messages.length; index++) {
    const message = messages[index] as PromptMessage;
    if (message.role !== "tool") break;
    returns.push(...message.returns);
  }
  return returns;
}

function fillSpoken(message: Exclude<PromptMessage, { role: "assistant" | "tool" }>): PromptMessage[] {
  const content = dropBlank(message.content);
  if (content.length > 0) return [{ ...message, content }];
  return message.role === "user" ? [{ ...message, content: [{ type: "text", text: "(empty message)" }] }] : [];
}

/** A last call that has no answer yet waits for one, perhaps for a person's consent: it is left out. */
function answerCalls(message: AssistantMessage, returns: readonly ToolReturn[], isLast: boolean): PromptMessage[] {
  const content = dropBlank(message.content);
  const toolCalls = isLast ? [] : uniqueBy(message.toolCalls, ({ id }) => id);
  if (toolCalls.length === 0) {
    return content.some(isSpoken) ? [{ ...message, content, toolCalls }] : [];
  }
  const called = new Set(toolCalls.map(({ id }) => id));
  const answers = uniqueBy(
    returns.filter(({ callId }) => called.has(callId)),
    ({ callId }) => callId,
  );
  const answered = new Set(answers.map(({ callId }) => callId));
  const missing = toolCalls.filter(({ id }) => !answered.has(id)).map(reportMissing);
  return [
    { ...message, content, toolCalls },
    { role: "tool", returns: [...answers, ...missing] },
  ];
}

function reportMissing({ id, name }: ToolCall): ToolReturn {
  return { callId: id, name, status: "error", output: "The result of this call was not kept." };
}

function dropBlank(content: readonly ContentPart[]): ContentPart[] {
  return content.filter((part) => part.type !== "text" || part.text.trim() !== "");
}

function isSpoken(part: ContentPart): boolean {
  return part.type === "text" || part.type === "image";
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(key(item)) && seen.add(key(item)));
}
