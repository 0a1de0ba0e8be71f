/** Conversations on the wire. */
import { uuid4Pattern } from "@memoir/core";
import { z } from "zod";
import { type MessageListQuery, messageListShape } from "../messages/list-schema.ts";
import { hasOneInput, oneInput, type SendMessageWire, sendShape } from "../messages/schema.ts";
import { ModelSettingsInput, ModelSettingsWire } from "../models/schema.ts";
import { optional, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { queryBoolean, queryEnum, queryInteger, queryText } from "../shared/query.ts";
import { WireTime } from "../shared/time.ts";

export interface ConversationWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string | null;
  updated_at: string | null;
  id: string;
  agent_id: string;
  summary: string | null;
  in_context_message_ids: string[];
  isolated_block_ids: string[];
  model: string | null;
  model_settings: ModelSettingsWire | null;
  last_message_at: string | null;
}

export const ConversationWire: z.ZodType<ConversationWire> = z
  .strictObject({
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    id: z.string(),
    agent_id: z.string(),
    summary: z.string().nullable(),
    in_context_message_ids: z.array(z.string()),
    isolated_block_ids: z.array(z.string()),
    model: z.string().nullable(),
    model_settings: ModelSettingsWire.nullable(),
    last_message_at: z.string().nullable(),
  })
  .meta({ id: "Conversation" });

export interface CreateConversationWire {
  summary?: string;
  isolated_block_labels?: string[];
  model?: string;
  model_settings?: ModelSettingsWire;
}

export const CreateConversationWire: z.ZodType<CreateConversationWire> = z
  .object({
    summary: optional(wireText),
    isolated_block_labels: optional(wireList(wireName)),
    model: optional(wireName),
    model_settings: optional(ModelSettingsInput),
  })
  .meta({ id: "CreateConversation" });

export interface UpdateConversationWire {
  summary?: string;
  model?: string;
  model_settings?: ModelSettingsWire;
  last_message_at?: string;
}

export const UpdateConversationWire: z.ZodType<UpdateConversationWire> = z
  .object({
    summary: optional(wireText),
    model: optional(wireName),
    model_settings: optional(ModelSettingsInput),
    last_message_at: optional(WireTime),
  })
  .meta({ id: "UpdateConversation" });

export interface ConversationMessageWire extends SendMessageWire {
  agent_id?: string;
}

/** Streams unless it says otherwise, so the rules that bind stream options to `streaming` do not apply. */
export const ConversationMessageWire: z.ZodType<ConversationMessageWire> = z
  .object({ ...sendShape, agent_id: optional(wireName) })
  .refine(hasOneInput, oneInput)
  .meta({ id: "ConversationMessageRequest" });

export interface ConversationParams {
  conversation_id: string;
}

export const ConversationParams: z.ZodType<ConversationParams> = z.object({ conversation_id: idSchema("conv") });

/** Also an agent's default conversation: `default`, or the agent's id. */
export const PlaceParams: z.ZodType<ConversationParams> = z.object({
  conversation_id: wireName.regex(
    new RegExp(`^(default|conv-${uuid4Pattern}|agent-${uuid4Pattern})$`),
    "Input should be default, the id of a conversation (conv-{uuid4}) or of an agent (agent-{uuid4})",
  ),
});

export interface AgentQuery {
  agent_id?: string;
}

export const AgentQuery: z.ZodType<AgentQuery> = z.object({ agent_id: queryText });

export interface ForkQuery extends AgentQuery {
  message_id?: string;
}

export const ForkQuery: z.ZodType<ForkQuery> = z.object({ agent_id: queryText, message_id: queryText });

export const RequiredAgentQuery: z.ZodType<Required<AgentQuery>> = z.object({ agent_id: wireName });

export interface ConversationListQuery extends AgentQuery {
  limit?: number;
  after?: string;
  summary_search?: string;
  order?: "asc" | "desc";
  order_by?: "created_at" | "last_run_completion" | "last_message_at";
}

export const ConversationListQuery: z.ZodType<ConversationListQuery> = z.object({
  agent_id: queryText,
  limit: queryInteger(),
  after: queryText,
  summary_search: queryText,
  order: queryEnum("asc", "desc"),
  order_by: queryEnum("created_at", "last_run_completion", "last_message_at"),
});

export interface ConversationMessageListQuery extends MessageListQuery, AgentQuery {}

export const ConversationMessageListQuery: z.ZodType<ConversationMessageListQuery> = z.object({
  ...messageListShape,
  agent_id: queryText,
});

export interface RecompileQuery {
  dry_run?: boolean;
}

export const RecompileQuery: z.ZodType<RecompileQuery> = z.object({ dry_run: queryBoolean });

/** Every text holds the time it was compiled at, so there is nothing more to update. */
export const AgentRecompileQuery: z.ZodType<RecompileQuery & { update_timestamp?: boolean }> = z.object({
  dry_run: queryBoolean,
  update_timestamp: queryBoolean,
});

export const RecompileWire: z.ZodType<AgentQuery> = z
  .object({ agent_id: optional(wireName) })
  .meta({ id: "RecompileConversation" });

export interface ResetMessagesWire {
  add_default_initial_messages?: boolean;
}

export const ResetMessagesWire: z.ZodType<ResetMessagesWire> = z
  .object({ add_default_initial_messages: optional(z.boolean()) })
  .meta({ id: "ResetMessagesRequest" });

/** What became of each run. */
export const CancelledWire: z.ZodType<Record<string, string>> = z.record(z.string(), z.string());
