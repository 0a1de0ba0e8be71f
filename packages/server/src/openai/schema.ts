/** What clients of OpenAI send and read, as far as agents have something to do with it. */
import { z } from "zod";
import { wireLine, wireList, wireName } from "../letta/shared/fields.ts";
import { boundedJson } from "../limits.ts";

export interface ChatCompletionWire {
  /** The id of an agent. */
  model: string;
  /** The agent remembers what was said before: only the last thing the user says is sent to it. */
  messages: { role: string; content?: unknown }[];
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean | null } | null;
  user?: string | null;
}

/** How the model is to choose its words is up to the agent: these are taken and have no effect. */
const ofModels = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).nullish(),
  stop: z.union([wireLine, wireList(wireLine)]).nullish(),
  max_tokens: z.int().nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
};

export const ChatCompletionWire: z.ZodType<ChatCompletionWire> = z
  .object({
    ...ofModels,
    model: wireName,
    messages: wireList(boundedJson(z.looseObject({ role: wireName }))),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    user: wireLine.nullish(),
  })
  .meta({ id: "ChatCompletionRequest" });

/** An agent in the place of a model. */
export interface AgentModelWire {
  id: string;
  object: "model";
  created: number;
  owned_by: string;
  /** OpenAI's own have none; programs with a list to choose from show it. */
  name: string;
}

export const AgentModelWire: z.ZodType<AgentModelWire> = z
  .strictObject({
    id: z.string(),
    object: z.literal("model"),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
  })
  .meta({ id: "AgentModel" });

export interface AgentModelsWire {
  object: "list";
  data: AgentModelWire[];
}

export const AgentModelsWire: z.ZodType<AgentModelsWire> = z
  .strictObject({ object: z.literal("list"), data: z.array(AgentModelWire) })
  .meta({ id: "AgentModelList" });
