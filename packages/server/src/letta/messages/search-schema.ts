/** Searches of messages on the wire, and messages across agents. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { StoredMessageWire } from "../context/stored-message.ts";
import { optional, WireObject, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryList, queryText } from "../shared/query.ts";
import { WireTime } from "../shared/time.ts";
import { type MessageTypeWire, messageTypes } from "./schema.ts";

export interface SearchAllWire {
  query: string;
  search_mode?: "vector" | "fts" | "hybrid";
  agent_id?: string;
  conversation_id?: string;
  limit?: number;
  start_date?: string;
  end_date?: string;
}

const searchShape = {
  search_mode: optional(z.enum(["vector", "fts", "hybrid"])),
  agent_id: optional(wireName),
  conversation_id: optional(wireName),
  limit: optional(z.int().min(1).max(100)),
  start_date: optional(WireTime),
  end_date: optional(WireTime),
};

export const SearchAllWire: z.ZodType<SearchAllWire> = z
  .object({ ...searchShape, query: wireText })
  .meta({ id: "SearchAllMessagesRequest" });

const roles = ["assistant", "user", "tool", "function", "system", "approval", "summary"] as const;

export interface SearchMessagesWire extends Omit<SearchAllWire, "query"> {
  query?: string;
  roles?: (typeof roles)[number][];
  project_id?: string;
  template_id?: string;
}

export const SearchMessagesWire: z.ZodType<SearchMessagesWire> = z
  .object({
    ...searchShape,
    query: optional(wireText),
    roles: optional(wireList(z.enum(roles))),
    project_id: optional(wireName),
    template_id: optional(wireName),
  })
  .meta({ id: "MessageSearchRequest" });

interface FoundBase {
  message_id: string;
  agent_id: string | null;
  conversation_id: string | null;
  created_at: string;
}

export type FoundPartWire = FoundBase &
  (
    | { message_type: "system_message" | "assistant_message"; content: string }
    | { message_type: "user_message"; content: string | JsonObject[] }
    | { message_type: "reasoning_message"; reasoning: string }
  );

const foundBase = {
  message_id: z.string(),
  agent_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
  created_at: z.string(),
};

export const FoundPartWire: z.ZodType<FoundPartWire> = z
  .discriminatedUnion("message_type", [
    z.strictObject({
      ...foundBase,
      message_type: z.enum(["system_message", "assistant_message"]),
      content: z.string(),
    }),
    z.strictObject({
      ...foundBase,
      message_type: z.literal("user_message"),
      content: z.union([z.string(), z.array(WireObject)]),
    }),
    z.strictObject({ ...foundBase, message_type: z.literal("reasoning_message"), reasoning: z.string() }),
  ])
  .meta({ id: "MessageSearchPart" });

export interface FoundMessageWire {
  embedded_text: string;
  message: StoredMessageWire;
  fts_rank: number | null;
  vector_rank: null;
  rrf_score: number;
}

export const FoundMessageWire: z.ZodType<FoundMessageWire> = z
  .strictObject({
    embedded_text: z.string(),
    message: StoredMessageWire,
    fts_rank: z.int().nullable(),
    vector_rank: z.null(),
    rrf_score: z.number(),
  })
  .meta({ id: "MessageSearchResult" });

export interface AllMessagesQuery extends PageQuery {
  conversation_id?: string;
  include_return_message_types?: MessageTypeWire[];
}

export const AllMessagesQuery: z.ZodType<AllMessagesQuery> = z.object({
  ...pageShape,
  conversation_id: queryText,
  include_return_message_types: queryList(z.enum(messageTypes)),
});

export interface MessageParams {
  message_id: string;
}

export const MessageParams: z.ZodType<MessageParams> = z.object({ message_id: idSchema("message") });
