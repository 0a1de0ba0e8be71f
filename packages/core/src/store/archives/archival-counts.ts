/** Counts the passages in an agent's archive, for the prompt. */
import { sql } from "kysely";
import { sortedTags } from "../agents/tags.ts";
import type { Scope } from "../engine/scope.ts";

export interface ArchivalCounts {
  readonly count: number;
  readonly tags: readonly string[];
}

export const nothingArchived: ArchivalCounts = { count: 0, tags: [] };

export async function countArchival(scope: Scope, agentId: string): Promise<ArchivalCounts> {
  const { count } = await scope
    .select("agent_archive")
    .innerJoin("passage", "passage.archive_id", "agent_archive.archive_id")
    .select(sql<number>`count(*)`.as("count"))
    .where("agent_archive.agent_id", "=", agentId)
    .executeTakeFirstOrThrow();
  if (Number(count) === 0) return nothingArchived;
  const tags = await scope
    .select("agent_archive")
    .innerJoin("passage_tag", "passage_tag.owner_id", "agent_archive.archive_id")
    .select("passage_tag.tag")
    .where("agent_archive.agent_id", "=", agentId)
    .distinct()
    .execute();
  return { count: Number(count), tags: sortedTags(tags.map(({ tag }) => tag)) };
}
