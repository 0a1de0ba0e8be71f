/** `/v1/blocks`: blocks by themselves. */
import type { Memoir } from "@memoir/core";
import { defineRoute, type Route } from "../../route.ts";
import { Count } from "../shared/fields.ts";
import { blockFamilyRoutes } from "./families.ts";
import { fromBlockFilter, fromBlockUpdate, toBlockWire } from "./mapper.ts";
import { BlockFilterQuery, BlockIdentityParams, BlockParams, BlockUpdateWire, BlockWire } from "./schema.ts";

const tag = "blocks";

export function blockRoutes(memoir: Memoir): Route[] {
  const rows = blockFamilyRoutes(memoir, {
    root: "/v1/blocks",
    tag,
    readAccess: "read",
    writeAccess: "member",
    operations: {
      list: "list_blocks",
      create: "create_block",
      delete: "delete_block",
      agents: "list_agents_for_block",
    },
  });
  return [
    rows.list,
    rows.create,
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
    rows.delete,
    rows.agents,
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
