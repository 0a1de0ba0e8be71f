/** What a key for one agent or conversation may send with a message. */
import type { FieldRules } from "../../route.ts";
import type { ConversationMessageWire } from "../conversations/schema.ts";
import type { AsyncMessageWire } from "./request-schema.ts";
import type { SendMessageWire } from "./schema.ts";

export const sendFields: FieldRules<SendMessageWire> = {
  messages: "messages",
  input: "free",
  max_steps: "free",
  use_assistant_message: "free",
  assistant_message_tool_name: "free",
  assistant_message_tool_kwarg: "free",
  include_return_message_types: "free",
  client_tools: "overrides",
  // Their descriptions become part of the system message.
  client_skills: "overrides",
  override_model: "overrides",
  override_system: "overrides",
  system: "overrides",
  streaming: "free",
  stream_tokens: "free",
  include_pings: "free",
  background: "free",
  include_compaction_messages: "free",
  return_logprobs: "free",
  top_logprobs: "free",
  return_token_ids: "free",
};

export const asyncFields: FieldRules<AsyncMessageWire> = { ...sendFields, callback_url: "free" };

export const conversationMessageFields: FieldRules<ConversationMessageWire> = { ...sendFields, agent_id: "free" };
