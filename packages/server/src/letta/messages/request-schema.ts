/** What else can be asked of an agent besides an answer that is waited for. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import type { AgentParams } from "../agents/schema.ts";
import { optional, WireObject, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { hasOneInput, oneInput, type SendMessageWire, sendShape, UsageWire } from "./schema.ts";

export interface AsyncMessageWire extends SendMessageWire {
  callback_url?: string;
}

export const AsyncMessageWire: z.ZodType<AsyncMessageWire> = z
  .object({ ...sendShape, callback_url: optional(z.string().min(1).max(2083)) })
  .refine(hasOneInput, oneInput)
  .meta({ id: "LettaAsyncRequest" });

/** Without the rules that bind stream options to `streaming`. */
export const StreamMessageWire: z.ZodType<SendMessageWire> = z
  .object(sendShape)
  .refine(hasOneInput, oneInput)
  .meta({ id: "LettaStreamingRequest" });

export interface CancelWire {
  run_ids?: string[];
}

export const CancelWire: z.ZodType<CancelWire> = z
  .object({ run_ids: optional(wireList(wireName, { max: 1000 })) })
  .meta({ id: "CancelAgentRunRequest" });

export interface AgentMessageParams extends AgentParams {
  message_id: string;
}

export const AgentMessageParams: z.ZodType<AgentMessageParams> = z.object({
  agent_id: idSchema("agent"),
  message_id: idSchema("message"),
});

export interface GenerateWire {
  prompt: string;
  system_prompt?: string;
  override_model?: string;
  response_schema?: JsonObject;
}

export const GenerateWire: z.ZodType<GenerateWire> = z
  .object({
    prompt: wireText.min(1),
    system_prompt: optional(wireText),
    override_model: optional(wireName),
    response_schema: optional(WireObject),
  })
  .meta({ id: "GenerateRequest" });

export interface GeneratedWire {
  content: string;
  model: string;
  usage: UsageWire;
}

export const GeneratedWire: z.ZodType<GeneratedWire> = z
  .strictObject({ content: z.string(), model: z.string(), usage: UsageWire })
  .meta({ id: "GenerateResponse" });
