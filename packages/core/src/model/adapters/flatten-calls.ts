/** Calls and their results as plain text, for a request that offers no tools: many servers refuse the one without the other. */
import type { PromptMessage } from "../../shared/content.ts";

export function flattenCalls(messages: readonly PromptMessage[]): PromptMessage[] {
  return messages.map((message): PromptMessage => {
    if (message.role === "tool") {
      const lines = message.returns.map(({ name, output }) => `[${name} returned: ${output}]`);
      return { role: "user", content: [{ type: "text", text: lines.join("\n") }] };
    }
    if (message.role !== "assistant" || message.toolCalls.length === 0) return message;
    const lines = message.toolCalls.map(({ name, arguments: json }) => `[called ${name} with ${json}]`);
    return {
      role: "assistant",
      content: [...message.content, { type: "text", text: lines.join("\n") }],
      toolCalls: [],
    };
  });
}
