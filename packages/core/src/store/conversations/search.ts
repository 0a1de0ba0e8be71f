/** Full-text search; all filters apply before ranking and limit. */
import { type SelectQueryBuilder, sql } from "kysely";
import { type Passage, passageEntity } from "../archives/passages.ts";
import type { TextTable } from "../engine/dialects/flavor.ts";
import { columnName, type Entity } from "../engine/entity.ts";
import type { Tables } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";
import { type Message, type MessageRole, messageEntity } from "./messages.ts";

interface SpanFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface MessageSearch extends SpanFilter {
  /** Undefined searches all agents. */
  readonly agentId?: string | undefined;
  /** One conversation, or default conversations only. */
  readonly conversation?: { readonly id: string } | "default" | undefined;
  readonly projectId?: string | undefined;
  readonly templateId?: string | undefined;
  /** Matches any word; undefined returns the newest messages first. */
  readonly words: readonly string[] | undefined;
  readonly roles: readonly MessageRole[];
  readonly limit: number;
}

/** A reply with pending approvals is stored with the role of the request. */
const withReplies = (roles: readonly MessageRole[]): readonly MessageRole[] =>
  roles.includes("assistant") ? [...new Set<MessageRole>([...roles, "approval"])] : roles;

/** Messages with searchable text, best match first, then newest first. */
export async function searchMessages(scope: Scope, search: MessageSearch): Promise<Message[]> {
  const { agentId, words, roles, limit } = search;
  if (words?.length === 0 || roles.length === 0) return [];
  const found = words && scope.selectMatches("message", agentId, words);
  let query = (found?.query ?? scope.select("message"))
    .where("message.role", "in", withReplies(roles))
    .where("message.search_text", "is not", null)
    .where("message.deleted_at", "is", null);
  if (agentId !== undefined) query = query.where("message.agent_id", "=", agentId);
  query = withinSpan("message", narrow(scope, query, search), search);
  if (found) query = query.orderBy(found.rank, "desc");
  const rows = await query.select(columnsOf(messageEntity)).orderBy("message.seq", "desc").limit(limit).execute();
  return rows.map((row) => messageEntity.codec.decode(row));
}

function narrow(scope: Scope, input: Query<"message">, search: MessageSearch): Query<"message"> {
  const { conversation, projectId, templateId } = search;
  let query = input;
  if (conversation) {
    const places = scope.select("conversation").select("conversation.id");
    const named =
      conversation === "default"
        ? places.where("conversation.is_default", "=", 1)
        : places.where("conversation.id", "=", conversation.id);
    query = query.where("message.conversation_id", "in", named);
  }
  if (projectId !== undefined || templateId !== undefined) {
    let agents = scope.select("agent").select("agent.id");
    if (projectId !== undefined) agents = agents.where("agent.project_id", "=", projectId);
    if (templateId !== undefined) agents = agents.where("agent.template_id", "=", templateId);
    query = query.where("message.agent_id", "in", agents);
  }
  return query;
}

export interface PassageSearch extends SpanFilter {
  /** The archive; undefined searches all archives of the organization. */
  readonly ownerId: string | undefined;
  /** Matches any word; undefined returns the oldest passages first. */
  readonly words: readonly string[] | undefined;
  /** Empty matches any passage. */
  readonly tags: readonly string[];
  readonly matchAllTags: boolean;
  readonly limit: number;
}

/** Best match first, then newest first. */
export async function searchPassages(scope: Scope, search: PassageSearch): Promise<Passage[]> {
  const { ownerId, words, tags, matchAllTags, limit } = search;
  if (words?.length === 0) return [];
  const found = words && scope.selectMatches("passage", ownerId, words);
  let query = withinSpan("passage", found?.query ?? scope.select("passage"), search);
  query =
    ownerId === undefined
      ? query.where("passage.archive_id", "is not", null)
      : query.where("passage.owner_id", "=", ownerId);
  if (tags.length > 0) query = query.where("passage.id", "in", selectTagged(scope, ownerId, tags, matchAllTags));
  query = found
    ? query.orderBy(found.rank, "desc").orderBy("passage.seq", "desc")
    : query.orderBy("passage.created_at").orderBy("passage.id");
  const rows = await query.select(columnsOf(passageEntity)).limit(limit).execute();
  return rows.map((row) => passageEntity.codec.decode(row));
}

function selectTagged(scope: Scope, ownerId: string | undefined, tags: readonly string[], matchAll: boolean) {
  const distinct = [...new Set(tags)];
  const all = scope.select("passage_tag").select("passage_id").where("tag", "in", distinct);
  const tagged = ownerId === undefined ? all : all.where("owner_id", "=", ownerId);
  return matchAll ? tagged.groupBy("passage_id").having(sql`count(*)`, "=", distinct.length) : tagged;
}

type Query<T extends TextTable> = SelectQueryBuilder<Tables, T, object>;

/** Both ends are inclusive. */
function withinSpan<T extends TextTable>(table: T, query: Query<T>, { since, until }: SpanFilter): Query<T> {
  const at = sql.ref<number>(`${table}.created_at`);
  const begun = since === undefined ? query : query.where(at, ">=", since);
  return until === undefined ? begun : begun.where(at, "<=", until);
}

function columnsOf<E extends { readonly id: string }, T extends TextTable>({ codec }: Entity<E, T>) {
  return codec.columns.map((column) => sql.ref(column).as(columnName(column)));
}
