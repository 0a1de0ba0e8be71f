/** Conversations between core and wire: a title is a summary there. */
import type {
  ConversationListRequest,
  ConversationUpdate,
  ConversationView,
  MessageListRequest,
  NewConversation,
} from "@memoir/core";
import { fromMessageList } from "../messages/list-mapper.ts";
import type { MessageListQuery } from "../messages/list-schema.ts";
import { fromModelSettings, toModelSettingsWire } from "../models/mapper.ts";
import { toPage } from "../shared/paging.ts";
import { fromWireTime, toWireTime } from "../shared/time.ts";
import type {
  ConversationListQuery,
  ConversationWire,
  CreateConversationWire,
  UpdateConversationWire,
} from "./schema.ts";

/** The context is shown where one conversation is retrieved, and nowhere else. */
export function toConversationWire(
  { conversation, lastMessageAt, isolatedBlockIds, modelConfig }: ConversationView,
  contextMessageIds: readonly string[] = [],
): ConversationWire {
  return {
    created_by_id: conversation.createdBy,
    last_updated_by_id: conversation.updatedBy,
    created_at: toWireTime(conversation.createdAt),
    updated_at: toWireTime(conversation.updatedAt),
    id: conversation.id,
    agent_id: conversation.agentId,
    summary: conversation.title,
    in_context_message_ids: [...contextMessageIds],
    isolated_block_ids: [...isolatedBlockIds],
    model: conversation.model,
    model_settings: modelConfig && toModelSettingsWire(modelConfig),
    last_message_at: toWireTime(lastMessageAt),
  };
}

export function fromCreateConversation(wire: CreateConversationWire): NewConversation {
  return {
    title: wire.summary,
    isolatedBlockLabels: wire.isolated_block_labels,
    model: wire.model,
    modelSettings: wire.model_settings && fromModelSettings(wire.model_settings),
  };
}

export function fromUpdateConversation(wire: UpdateConversationWire): ConversationUpdate {
  return {
    title: wire.summary,
    model: wire.model,
    modelSettings: wire.model_settings && fromModelSettings(wire.model_settings),
    lastMessageAt: wire.last_message_at === undefined ? undefined : fromWireTime(wire.last_message_at),
  };
}

const orders = {
  created_at: "created_at",
  last_run_completion: "last_run_at",
  last_message_at: "last_message_at",
} as const;

export function fromConversationList(query: ConversationListQuery): ConversationListRequest {
  return {
    filter: { agentId: query.agent_id || undefined, search: query.summary_search },
    page: toPage(query, { limit: 50, order: "desc" }),
    orderBy: orders[query.order_by ?? "created_at"],
  };
}

/** Here cursors follow the order asked for, as clients page: newest first, `after` is what comes next, which is older. */
export function fromConversationMessageList(query: MessageListQuery): MessageListRequest {
  const { page, filter } = fromMessageList(query);
  const { after, before } = page;
  const cursors = page.from === "newest" ? { after: before, before: after } : { after, before };
  return { page: { ...page, ...cursors, unknownCursor: "ignore" }, filter };
}
