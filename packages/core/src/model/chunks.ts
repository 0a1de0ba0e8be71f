/** A whole reply in the pieces in which it might have come: word by word, arguments in two halves. */
import type { ContentPart, ToolCall } from "../shared/content.ts";
import type { ModelChunk, ModelReply } from "./model.ts";

export function toChunks(reply: ModelReply): ModelChunk[] {
  return [
    ...reply.content.flatMap(toContentChunks),
    ...reply.toolCalls.flatMap(toCallChunks),
    { type: "reply", reply },
  ];
}

function toContentChunks(part: ContentPart): ModelChunk[] {
  switch (part.type) {
    case "text":
      return splitWords(part.text).map((text) => ({ type: "text-delta", text }));
    case "reasoning":
      return splitWords(part.text).map((text) => ({ type: "reasoning-delta", text }));
    case "summarized-reasoning": {
      const text = part.summary.map((summary) => summary.text).join("\n\n");
      return splitWords(text).map((word) => ({ type: "reasoning-delta", text: word }));
    }
    default:
      return [];
  }
}

function toCallChunks({ id: callId, name, arguments: json }: ToolCall): ModelChunk[] {
  const middle = Math.ceil(json.length / 2);
  const halves = [json.slice(0, middle), json.slice(middle)].filter((half) => half !== "");
  return [
    { type: "tool-call-start", callId, name },
    ...halves.map((half): ModelChunk => ({ type: "tool-call-delta", callId, arguments: half })),
  ];
}

function splitWords(text: string): string[] {
  return text.match(/\s+\S*|\S+/g) ?? [];
}
