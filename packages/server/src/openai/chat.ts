/** An agent's words as a chat completion: of everything a run does, only what the agent says to the user. */
import type { Actor, AgentKind, Memoir, Run } from "@memoir/core";
import type { FastifyReply } from "fastify";
import { type MessageView, viewOf } from "../letta/messages/mapper.ts";
import { answerSend } from "../letta/messages/send.ts";
import { listEvents } from "../letta/messages/stream.ts";
import { openEventStream } from "../sse.ts";

export interface ChatAnswer {
  readonly memoir: Memoir;
  readonly actor: Actor;
  readonly run: Run;
  readonly kind: AgentKind;
  /** As clients are told: the model behind the agent. */
  readonly model: string;
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
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
    usage: toUsage(usage),
  };
}

/** With `countsTokens` a last chunk says what the answer took. */
export async function answerInPieces(
  { memoir, actor, run, kind, model }: ChatAnswer,
  reply: FastifyReply,
  countsTokens: boolean,
): Promise<void> {
  const stream = openEventStream(reply);
  const wish = { view: { ...viewOf(kind, {}), types: speech }, hasPings: false, hasCompactions: false, after: 0 };
  const head = { ...headOf(run, model), object: "chat.completion.chunk" };
  let isFirst = true;
  let usage: Usage | undefined;
  try {
    for await (const { data, event } of listEvents(memoir, actor, run, wish, stream.signal)) {
      if (event === "error") {
        const { message } = data as { message: string };
        await stream.send({ error: { message, type: "server_error" } });
      } else if (isSpeech(data)) {
        await stream.send({ ...head, ...choiceOf(data.content, isFirst ? "assistant" : null), usage: null });
        isFirst = false;
      } else if (isUsage(data)) {
        usage = data;
      }
    }
    await stream.send({ ...head, ...choiceOf(null, null, "stop"), usage: null });
    if (countsTokens && usage) await stream.send({ ...head, choices: [], usage: toUsage(usage) });
    await stream.send("[DONE]");
  } catch (error) {
    reply.log.warn({ err: error, runId: run.id }, "a stream was broken off");
  } finally {
    stream.end();
  }
}

function isSpeech(data: object | string): data is { content: string } {
  return typeof data === "object" && "content" in data;
}

function isUsage(data: object | string): data is Usage {
  return typeof data === "object" && "total_tokens" in data;
}

function toUsage({ prompt_tokens, completion_tokens, total_tokens }: Usage): Usage {
  return { prompt_tokens, completion_tokens, total_tokens };
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

function choiceOf(content: string | null, role: "assistant" | null, end: "stop" | null = null) {
  const delta = { content, function_call: null, refusal: null, role, tool_calls: null };
  return { choices: [{ delta, finish_reason: end, index: 0, logprobs: null }] };
}
