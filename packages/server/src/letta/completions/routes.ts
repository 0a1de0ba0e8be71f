/** Agents behind the paths of OpenAI clients. */
import { type ContentPart, isId, type Memoir, MemoirError } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { WireObject } from "../shared/fields.ts";
import { answerInPieces, answerWhole } from "./chat.ts";

interface ChatCompletionWire {
  /** The id of an agent. */
  model: string;
  /** The agent remembers what was said before: only the last thing the user says is sent to it. */
  messages: { role: string; content?: unknown }[];
  stream?: boolean | null;
  user?: string | null;
}

/** How the model is to choose its words is up to the agent: these are taken and have no effect. */
const ofModels = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  max_tokens: z.int().nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
};

const ChatCompletionWire: z.ZodType<ChatCompletionWire> = z
  .object({
    ...ofModels,
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    stream: z.boolean().nullish(),
    user: z.string().nullish(),
  })
  .meta({ id: "ChatCompletionRequest" });

export function completionRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/chat/completions",
      operationId: "create_chat_completion",
      summary: "Talk to an agent as to a model of OpenAI",
      tag: "chat",
      body: ChatCompletionWire,
      response: WireObject,
      handler: async ({ actor, body, reply }) => {
        if (!isId("agent", body.model)) throw refuse("model", "model must be the id of an agent: agent-<uuid4>");
        const { agent } = await memoir.agents.get(actor, body.model, new Set());
        const run = await memoir.messages.send(actor, agent.id, {
          messages: [{ role: "user", content: readSaid(body) }],
          kind: "openai_chat_completions",
          streamsTokens: body.stream === true,
        });
        const answer = { memoir, actor, run, kind: agent.kind, model: agent.model.model };
        if (!body.stream) return await answerWhole(answer);
        await answerInPieces(answer, reply);
        return {};
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/voice-beta/{agent_id}/chat/completions",
      operationId: "create_voice_chat_completions",
      summary: "Gone",
      tag: "voice",
      isDeprecated: true,
      params: z.object({ agent_id: z.string() }),
      body: WireObject,
      response: WireObject,
      handler: async () => {
        const message = "This path is no longer served: use /v1/agents/{agent_id}/messages instead.";
        throw Object.assign(new Error(message), { statusCode: 410 });
      },
    }),
  ];
}

/** Text, or the text parts of a list. */
function readSaid({ messages }: ChatCompletionWire): ContentPart[] {
  const said = messages.findLast(({ role }) => role === "user");
  if (!said) throw refuse("messages", "there is no user message");
  const parts = Array.isArray(said.content) ? said.content : [{ type: "text", text: said.content }];
  const texts = parts.flatMap((part) => (typeof part?.text === "string" ? [part.text as string] : []));
  if (texts.join("") === "") throw refuse("messages", "the last user message has no text");
  return texts.map((text) => ({ type: "text", text }));
}

function refuse(field: string, message: string): MemoirError {
  return new MemoirError("invalid-argument", message, { details: { field } });
}
