/** A model for tests of contexts: it answers by a function, and requests for summaries by another. */
import type { Memoir } from "../memoir.ts";
import type { Model, ModelReply, ModelRequest } from "../model/model.ts";
import type { Models } from "../model/providers.ts";
import type { RunResult } from "../services/messages/messages.ts";

type Said = Partial<ModelReply> | Error;
export type Answer = (request: ModelRequest, index: number, signal: AbortSignal) => Said | Promise<Said>;

export interface Talker {
  readonly asked: ModelRequest[];
  readonly summaries: ModelRequest[];
  readonly models: Models;
}

/** Tells requests for a summary from an agent's own. */
const isForSummary = ({ toolChoice }: ModelRequest) => toolChoice === "none";

export function createTalker(
  answer: Answer = () => say("ok"),
  summarise: Answer = (_, index) => say(`Summary ${index}.`),
): Talker {
  const asked: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const model: Model = {
    async *stream(request, signal) {
      const list = isForSummary(request) ? summaries : asked;
      list.push(request);
      const reply = await (isForSummary(request) ? summarise : answer)(request, list.length, signal);
      if (reply instanceof Error) throw reply;
      yield { type: "reply", reply: { ...empty, ...reply } };
    },
  };
  return { asked, summaries, models: { get: () => model } };
}

const empty: ModelReply = {
  content: [],
  toolCalls: [],
  finishReason: "stop",
  usage: {
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    cachedTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
  },
};

export const say = (text: string): Partial<ModelReply> => ({ content: [{ type: "text", text }] });

export async function tell(memoir: Memoir, agentId: string, text: string): Promise<RunResult> {
  const actor = memoir.defaultActor;
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
  const run = await memoir.messages.send(actor, agentId, { messages });
  return await memoir.messages.complete(actor, run.id);
}
