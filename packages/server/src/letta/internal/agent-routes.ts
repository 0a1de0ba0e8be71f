/** `/v1/_internal_agents` and `/v1/_internal_blocks`: what the old server's own pages call, which is what the public paths do. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentIncludeQuery, AgentLabelParams, AgentWire } from "../agents/schema.ts";
import { listHolders } from "../blocks/holders.ts";
import { fromBlockFilter, fromBlockUpdate, fromCreateBlock, toBlockWire } from "../blocks/mapper.ts";
import { BlockListQuery, BlockParams, BlockUpdateWire, BlockWire, CreateBlockWire } from "../blocks/schema.ts";
import { Count, Nothing } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
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
  const tag = "_internal_blocks";
  return [
    defineRoute({
      method: "GET",
      path: "/v1/_internal_blocks/",
      operationId: "list_internal_blocks",
      summary: "List blocks",
      tag,
      access: "admin",
      scope: "none",
      query: BlockListQuery,
      response: z.array(BlockWire),
      handler: async ({ actor, query }) => {
        const page = toPage(query, { limit: 50, order: "asc" });
        return (await memoir.blocks.list(actor, fromBlockFilter(query), page)).map(toBlockWire);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/_internal_blocks/",
      operationId: "create_internal_block",
      summary: "Create a block",
      tag,
      access: "admin",
      scope: "none",
      body: CreateBlockWire,
      response: BlockWire,
      handler: async ({ actor, body }) => toBlockWire(await memoir.blocks.create(actor, fromCreateBlock(body))),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/_internal_blocks/{block_id}",
      operationId: "delete_internal_block",
      summary: "Delete a block; agents that hold it lose it",
      tag,
      access: "admin",
      scope: "none",
      params: BlockParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.blocks.delete(actor, params.block_id);
        return null;
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/_internal_blocks/{block_id}/agents",
      operationId: "list_agents_for_internal_block",
      summary: "List the agents that hold a block",
      tag,
      access: "admin",
      scope: "none",
      params: BlockParams,
      query: AgentIncludeQuery,
      response: z.array(AgentWire),
      handler: ({ actor, params, query }) => listHolders(memoir, actor, params.block_id, query),
    }),
  ];
}
