/** `/v1/blocks`: blocks by themselves. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentIncludeQuery, AgentWire } from "../agents/schema.ts";
import { Count, Nothing } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { listHolders } from "./holders.ts";
import { fromBlockFilter, fromBlockUpdate, fromCreateBlock, toBlockWire } from "./mapper.ts";
import {
  BlockFilterQuery,
  BlockIdentityParams,
  BlockListQuery,
  BlockParams,
  BlockUpdateWire,
  BlockWire,
  CreateBlockWire,
} from "./schema.ts";

const tag = "blocks";

export function blockRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/blocks/",
      operationId: "list_blocks",
      summary: "List blocks",
      tag,
      access: "read",
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
      path: "/v1/blocks/",
      operationId: "create_block",
      summary: "Create a block",
      tag,
      access: "member",
      scope: "none",
      body: CreateBlockWire,
      response: BlockWire,
      handler: async ({ actor, body }) => toBlockWire(await memoir.blocks.create(actor, fromCreateBlock(body))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/blocks/count",
      operationId: "count_blocks",
      summary: "Count blocks",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      query: BlockFilterQuery,
      response: Count,
      handler: ({ actor, query }) => memoir.blocks.count(actor, fromBlockFilter(query)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/blocks/{block_id}",
      operationId: "retrieve_block",
      summary: "Retrieve a block",
      tag,
      access: "read",
      scope: "none",
      params: BlockParams,
      response: BlockWire,
      handler: async ({ actor, params }) => toBlockWire(await memoir.blocks.get(actor, params.block_id)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/blocks/{block_id}",
      operationId: "modify_block",
      summary: "Update a block",
      tag,
      access: "member",
      scope: "none",
      params: BlockParams,
      body: BlockUpdateWire,
      response: BlockWire,
      handler: async ({ actor, params, body }) =>
        toBlockWire(await memoir.blocks.update(actor, params.block_id, fromBlockUpdate(body))),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/blocks/{block_id}",
      operationId: "delete_block",
      summary: "Delete a block; agents that hold it lose it",
      tag,
      access: "member",
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
      path: "/v1/blocks/{block_id}/agents",
      operationId: "list_agents_for_block",
      summary: "List the agents that hold a block",
      tag,
      access: "read",
      scope: "none",
      params: BlockParams,
      query: AgentIncludeQuery,
      response: z.array(AgentWire),
      handler: ({ actor, params, query }) => listHolders(memoir, actor, params.block_id, query),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/blocks/{block_id}/identities/attach/{identity_id}",
      operationId: "attach_identity_to_block",
      summary: "Attach an identity to a block",
      tag,
      access: "member",
      scope: "none",
      isDeprecated: true,
      params: BlockIdentityParams,
      response: BlockWire,
      handler: async ({ actor, params }) =>
        toBlockWire(await memoir.blocks.attachIdentity(actor, params.block_id, params.identity_id)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/blocks/{block_id}/identities/detach/{identity_id}",
      operationId: "detach_identity_from_block",
      summary: "Detach an identity from a block",
      tag,
      access: "member",
      scope: "none",
      isDeprecated: true,
      params: BlockIdentityParams,
      response: BlockWire,
      handler: async ({ actor, params }) =>
        toBlockWire(await memoir.blocks.detachIdentity(actor, params.block_id, params.identity_id)),
    }),
  ];
}
