/** Search by words. Every filter holds before the ranking and before the limit. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { TextTable } from "./dialects/flavor.ts";
import { columnName, type Entity } from "./entity.ts";
import { type Message, type MessageRole, messageEntity } from "./messages.ts";
import { type Passage, passageEntity } from "./passages.ts";
import type { Tables } from "./schema.ts";
import type { Scope } from "./scope.ts";

interface SpanFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface MessageSearch extends SpanFilter {
  readonly agentId: string;
  /** Any of them; without, the newest messages come first. */
  readonly words: readonly string[] | undefined;
  readonly roles: readonly MessageRole[];
  readonly limit: number;
}

/** Of all conversations of the agent, those with text to find. Best first, the newer of equals first. */
export async function searchMessages(scope: Scope, search: MessageSearch): Promise<Message[]> {
  const { agentId, words, roles, limit } = search;
  if (words?.length === 0 || roles.length === 0) return [];
  const found = words && scope.selectMatches("message", agentId, words);
  let query = (found?.query ?? scope.select("message"))
    .where("message.agent_id", "=", agentId)
    .where("message.role", "in", roles)
    .where("message.search_text", "is not", null)
    .where("message.deleted_at", "is", null);
  query = withinSpan("message", query, search);
  if (found) query = query.orderBy(found.rank, "desc");
  const rows = await query.select(columnsOf(messageEntity)).orderBy("message.seq", "desc").limit(limit).execute();
  return rows.map((row) => messageEntity.codec.decode(row));
}

export interface PassageSearch extends SpanFilter {
  /** The archive. */
  readonly ownerId: string;
  readonly words: readonly string[];
  /** Empty: any passage. */
  readonly tags: readonly string[];
  readonly matchAllTags: boolean;
  readonly limit: number;
}

/** Best first, the newer of equals first. */
export async function searchPassages(scope: Scope, search: PassageSearch): Promise<Passage[]> {
  const { ownerId, words, tags, matchAllTags, limit } = search;
  if (words.length === 0) return [];
  const { query: matching, rank } = scope.selectMatches("passage", ownerId, words);
  let query = withinSpan("passage", matching.where("passage.owner_id", "=", ownerId), search);
  if (tags.length > 0) query = query.where("passage.id", "in", selectTagged(scope, ownerId, tags, matchAllTags));
  const rows = await query
    .select(columnsOf(passageEntity))
    .orderBy(rank, "desc")
    .orderBy("passage.seq", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => passageEntity.codec.decode(row));
}

function selectTagged(scope: Scope, ownerId: string, tags: readonly string[], matchAll: boolean) {
  const distinct = [...new Set(tags)];
  const tagged = scope
    .select("passage_tag")
    .select("passage_id")
    .where("owner_id", "=", ownerId)
    .where("tag", "in", distinct);
  return matchAll ? tagged.groupBy("passage_id").having(sql`count(*)`, "=", distinct.length) : tagged;
}

type Query<T extends TextTable> = SelectQueryBuilder<Tables, T, object>;

/** Both ends belong to the span. */
function withinSpan<T extends TextTable>(table: T, query: Query<T>, { since, until }: SpanFilter): Query<T> {
  const at = sql.ref<number>(`${table}.created_at`);
  const begun = since === undefined ? query : query.where(at, ">=", since);
  return until === undefined ? begun : begun.where(at, "<=", until);
}

function columnsOf<E extends { readonly id: string }, T extends TextTable>({ codec }: Entity<E, T>) {
  return codec.columns.map((column) => sql.ref(column).as(columnName(column)));
}
