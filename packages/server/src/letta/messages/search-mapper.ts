/** Searches of messages between core and wire. */
import type { AgentKind, FoundMessage, MessageQuestion, MessageRole } from "@memoir/core";
import { toStoredMessageWire } from "../context/stored-message.ts";
import { fromWireTime, toWireTime } from "../shared/time.ts";
import { toMessageWires, viewOf } from "./mapper.ts";
import type { MessageWire } from "./schema.ts";
import type { FoundMessageWire, FoundPartWire, SearchAllWire, SearchMessagesWire } from "./search-schema.ts";

/** `default`: outside any conversation that has an id of its own. */
export function fromConversationId(id: string | undefined): { id: string } | "default" | undefined {
  return id ? (id === "default" ? "default" : { id }) : undefined;
}

type Common = Omit<SearchAllWire, "query"> & { query?: string };

function fromCommon(wire: Common): MessageQuestion {
  return {
    query: wire.query,
    agentId: wire.agent_id || undefined,
    conversation: fromConversationId(wire.conversation_id),
    since: wire.start_date === undefined ? undefined : fromWireTime(wire.start_date),
    until: wire.end_date === undefined ? undefined : fromWireTime(wire.end_date),
    limit: wire.limit ?? 50,
  };
}

/** What tools answered is not asked for here. */
export function fromSearchAll(wire: SearchAllWire): MessageQuestion {
  return { ...fromCommon(wire), roles: ["user", "assistant"] };
}

/** `function` is an older word for the role of tools. */
export function fromSearchMessages(wire: SearchMessagesWire): MessageQuestion {
  const roles = wire.roles?.map((role): MessageRole => (role === "function" ? "tool" : role));
  return {
    ...fromCommon(wire),
    roles: roles?.length ? roles : undefined,
    projectId: wire.project_id || undefined,
    templateId: wire.template_id || undefined,
  };
}

export function toFoundMessageWire({ message, isDefault, rank }: FoundMessage, index: number): FoundMessageWire {
  return {
    embedded_text: message.searchText ?? "",
    message: toStoredMessageWire(message, isDefault),
    fts_rank: rank,
    vector_rank: null,
    rrf_score: 1 / (index + 1),
  };
}

export function toFoundPartWires(found: FoundMessage, kind: AgentKind | undefined): FoundPartWire[] {
  const items = toMessageWires([found.message], viewOf(kind ?? "letta_v1_agent", {}));
  return items.flatMap((item) => toFoundPart(found, item));
}

function toFoundPart({ message, isDefault }: FoundMessage, item: MessageWire): FoundPartWire[] {
  const base = {
    message_id: message.id,
    agent_id: message.agentId,
    conversation_id: isDefault ? null : message.conversationId,
    created_at: toWireTime(message.createdAt),
  };
  switch (item.message_type) {
    case "system_message":
    case "assistant_message":
      return [{ ...base, message_type: item.message_type, content: item.content }];
    case "user_message":
      return [{ ...base, message_type: item.message_type, content: item.content }];
    case "reasoning_message":
      return [{ ...base, message_type: item.message_type, reasoning: item.reasoning }];
    default:
      return [];
  }
}
