/** What a list of messages is asked for with. */
import { z } from "zod";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryEnum, queryList, queryText } from "../shared/query.ts";
import { type MessageTypeWire, messageTypes } from "./schema.ts";

export interface MessageListQuery extends PageQuery {
  order_by?: "created_at";
  group_id?: string;
  include_err?: boolean;
  include_return_message_types?: MessageTypeWire[];
}

export const messageListShape: { [K in keyof MessageListQuery]-?: z.ZodType<MessageListQuery[K]> } = {
  ...pageShape,
  order_by: queryEnum("created_at"),
  group_id: queryText,
  include_err: queryBoolean,
  include_return_message_types: queryList(z.enum(messageTypes)),
};

export interface AgentMessageListQuery extends MessageListQuery {
  conversation_id?: string;
  use_assistant_message?: boolean;
  assistant_message_tool_name?: string;
  assistant_message_tool_kwarg?: string;
}

export const AgentMessageListQuery: z.ZodType<AgentMessageListQuery> = z.object({
  ...messageListShape,
  conversation_id: queryText,
  use_assistant_message: queryBoolean,
  assistant_message_tool_name: queryText,
  assistant_message_tool_kwarg: queryText,
});
