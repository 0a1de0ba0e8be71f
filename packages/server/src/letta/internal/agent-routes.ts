/** `/v1/_internal_agents` and `/v1/_internal_blocks`: what the old server's own pages call, which is what the public paths do. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentLabelParams } from "../agents/schema.ts";
import { blockFamilyRoutes } from "../blocks/families.ts";
import { fromBlockUpdate, toBlockWire } from "../blocks/mapper.ts";
import { BlockUpdateWire, BlockWire } from "../blocks/schema.ts";
import { Count } from "../shared/fields.ts";
import { queryBoolean } from "../shared/query.ts";

export function internalAgentRoutes(memoir: Memoir): Route[] {
  const tag = "_internal_agents";
  return [
    defineRoute({
      method: "GET",
      path: "/v1/_internal_agents/count",
      operationId: "count_internal_agents",
      summary: "Count agents",
      tag,
      access: "admin",
      scope: "none",
      query: z.object({ exclude_hidden: queryBoolean }),
      response: Count,
      handler: ({ actor, query }) => memoir.agents.count(actor, { showHidden: query.exclude_hidden === false }),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/_internal_agents/{agent_id}/core-memory/blocks/{block_label}",
      operationId: "modify_internal_core_memory_block",
      summary: "Update one of an agent's blocks by its label",
      tag,
      access: "admin",
      scope: "none",
      params: AgentLabelParams,
      body: BlockUpdateWire,
      response: BlockWire,
      handler: async ({ actor, params, body }) => {
        const { agent_id, block_label } = params;
        return toBlockWire(await memoir.blocks.updateOfAgent(actor, agent_id, block_label, fromBlockUpdate(body)));
      },
    }),
  ];
}

export function internalBlockRoutes(memoir: Memoir): Route[] {
  const rows = blockFamilyRoutes(memoir, {
    root: "/v1/_internal_blocks",
    tag: "_internal_blocks",
    readAccess: "admin",
    writeAccess: "admin",
    operations: {
      list: "list_internal_blocks",
      create: "create_internal_block",
      delete: "delete_internal_block",
      agents: "list_agents_for_internal_block",
    },
  });
  return [rows.list, rows.create, rows.delete, rows.agents];
}
