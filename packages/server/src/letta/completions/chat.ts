/** An agent's words as a chat completion: of everything a run does, only what the agent says to the user. */
import type { Actor, AgentKind, Memoir, Run } from "@memoir/core";
import type { FastifyReply } from "fastify";
import { openEventStream } from "../../sse.ts";
import { type MessageView, viewOf } from "../messages/mapper.ts";
import { answerSend } from "../messages/send.ts";
import { listEvents } from "../messages/stream.ts";

export interface ChatAnswer {
  readonly memoir: Memoir;
  readonly actor: Actor;
  readonly run: Run;
  readonly kind: AgentKind;
  /** As clients are told: the model behind the agent. */
  readonly model: string;
}

const speech: MessageView["types"] = new Set(["assistant_message"]);

export async function answerWhole({ memoir, actor, run, kind, model }: ChatAnswer): Promise<Record<string, unknown>> {
  const { messages, usage } = await answerSend(memoir, actor, run, { ...viewOf(kind, {}), types: speech });
  const content = messages.map((item) => ("content" in item ? String(item.content) : "")).join("\n");
  return {
    ...headOf(run, model),
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, refusal: null },
        finish_reason: "stop",
        logprobs: null,
      },
    ],
    usage: {
      prompt_tokens: usage.prompt_tokens,
      completion_tokens: usage.completion_tokens,
      total_tokens: usage.total_tokens,
    },
  };
}

export async function answerInPieces(
  { memoir, actor, run, kind, model }: ChatAnswer,
  reply: FastifyReply,
): Promise<void> {
  const stream = openEventStream(reply);
  const wish = { view: { ...viewOf(kind, {}), types: speech }, hasPings: false, hasCompactions: false, after: 0 };
  let isFirst = true;
  try {
    for await (const { data, event } of listEvents(memoir, actor, run, wish, stream.signal)) {
      if (event === "error") {
        const { message } = data as { message: string };
        await stream.send({ error: { message, type: "server_error" } });
      } else if (isSpeech(data)) {
        await stream.send(chunkOf(run, model, data.content, isFirst ? "assistant" : null));
        isFirst = false;
      }
    }
    await stream.send(chunkOf(run, model, null, null, "stop"));
    await stream.send("[DONE]");
  } finally {
    stream.end();
  }
}

function isSpeech(data: object | string): data is { content: string } {
  return typeof data === "object" && "content" in data;
}

function headOf(run: Run, model: string) {
  return {
    id: `chatcmpl-${run.id}`,
    created: Math.floor(run.createdAt / 1_000_000),
    model,
    service_tier: null,
    system_fingerprint: null,
  };
}

function chunkOf(run: Run, model: string, content: string | null, role: "assistant" | null, end: "stop" | null = null) {
  const delta = { content, function_call: null, refusal: null, role, tool_calls: null };
  return {
    ...headOf(run, model),
    object: "chat.completion.chunk",
    choices: [{ delta, finish_reason: end, index: 0, logprobs: null }],
    usage: null,
  };
}
