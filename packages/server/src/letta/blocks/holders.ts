/** The agents that hold a block, under both paths that ask for them. */
import type { Actor, Memoir } from "@memoir/core";
import { toAgentWire } from "../agents/mapper.ts";
import { includedRelations } from "../agents/relations.ts";
import type { AgentIncludeQuery, AgentWire } from "../agents/schema.ts";
import { toPage } from "../shared/paging.ts";

export async function listHolders(
  memoir: Memoir,
  actor: Actor,
  blockId: string,
  query: AgentIncludeQuery,
): Promise<AgentWire[]> {
  await memoir.blocks.get(actor, blockId);
  const views = await memoir.agents.list(actor, {
    filter: { blockId, showHidden: true },
    page: toPage(query, { limit: 50, order: "desc" }),
    relations: includedRelations(query, true),
  });
  return views.map((view) => toAgentWire(view, actor));
}
