/** Tags of agents and blocks. */
import { sql } from "kysely";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import type { PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

/** Agents with this tag also have their memory as a folder of files, whose path the prompt shows. */
export const gitMemoryTag = "git-memory-enabled";

export type TagOwner = "agent" | "block";

const tables = {
  agent: { table: "agent_tag", owner: "agent_id" },
  block: { table: "block_tag", owner: "block_id" },
} as const;

export async function addTags(scope: Scope, kind: TagOwner, ownerId: string, tags: readonly string[]): Promise<void> {
  const { table, owner } = tables[kind];
  const rows = [...new Set(tags)].map((tag) => ({ [owner]: ownerId, tag }));
  await scope.insertAll(table, rows as never[]);
}

export async function replaceTags(
  scope: Scope,
  kind: TagOwner,
  ownerId: string,
  tags: readonly string[],
): Promise<void> {
  const { table, owner } = tables[kind];
  await scope.delete(table).where(sql.ref(owner), "=", ownerId).execute();
  await addTags(scope, kind, ownerId, tags);
}

/** Sorted tags by owner id; owners without tags are absent. */
export async function loadTags(
  scope: Scope,
  kind: TagOwner,
  ownerIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (ownerIds.length === 0) return new Map();
  const { table, owner } = tables[kind];
  const rows = await scope
    .select(table)
    .select([sql.ref<string>(owner).as("owner"), "tag"])
    .where(isInList(scope, owner, ownerIds))
    .orderBy(scope.flavor.bytewise(sql.ref("tag")))
    .execute();
  return groupRows(
    rows,
    (row) => row.owner,
    (row) => row.tag,
  );
}

/** A subquery for the owners that have any, or all, of the tags. */
export function selectTagged(scope: Scope, kind: TagOwner, tags: readonly string[], matchAll: boolean) {
  const { table, owner } = tables[kind];
  const distinct = [...new Set(tags)];
  const tagged = scope.select(table).select(sql.ref<string>(owner).as("owner")).where("tag", "in", distinct);
  return matchAll ? tagged.groupBy(sql.ref(owner)).having(sql`count(*)`, "=", distinct.length) : tagged;
}

/** Each tag in use once, sorted; cursors are tags. */
export async function listTags(scope: Scope, search: string | undefined, page: PageRequest): Promise<string[]> {
  const { bytewise, contains } = scope.flavor;
  const isDescending = page.order === "desc";
  const tag = bytewise(sql.ref("tag"));
  const from = (table: "agent_tag" | "block_tag") => {
    let query = scope.select(table).select("tag");
    if (search) query = query.where(contains(sql.ref("tag"), search));
    if (page.after !== undefined) query = query.where(tag, isDescending ? "<" : ">", page.after);
    if (page.before !== undefined) query = query.where(tag, isDescending ? ">" : "<", page.before);
    // `distinct` does not work here: PostgreSQL only allows it to sort by selected expressions.
    return query.groupBy("tag").orderBy(tag, page.order).limit(page.limit);
  };
  const found = [...(await from("agent_tag").execute()), ...(await from("block_tag").execute())].map((row) => row.tag);
  const sorted = sortedTags(found);
  return (isDescending ? sorted.reverse() : sorted).slice(0, page.limit);
}

/** The byte order in which both databases sort text here. */
export function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Sorted and without duplicates, as they are read back. */
export function sortedTags(tags: readonly string[]): string[] {
  return [...new Set(tags)].sort(compareBytes);
}
