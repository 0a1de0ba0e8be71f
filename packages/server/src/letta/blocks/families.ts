/** The rows that `/v1/blocks` and `/v1/_internal_blocks` share: they differ in path, names and access. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { type Access, defineRoute } from "../../route.ts";
import { AgentIncludeQuery, AgentWire } from "../agents/schema.ts";
import { Nothing } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { listHolders } from "./holders.ts";
import { fromBlockFilter, fromCreateBlock, toBlockWire } from "./mapper.ts";
import { BlockListQuery, BlockParams, BlockWire, CreateBlockWire } from "./schema.ts";

export interface BlockFamily {
  readonly root: "/v1/blocks" | "/v1/_internal_blocks";
  readonly tag: string;
  readonly readAccess: Access;
  readonly writeAccess: Access;
  readonly operations: Readonly<Record<"list" | "create" | "delete" | "agents", string>>;
}

export function blockFamilyRoutes(memoir: Memoir, { root, tag, readAccess, writeAccess, operations }: BlockFamily) {
  return {
    list: defineRoute({
      method: "GET",
      path: `${root}/`,
      operationId: operations.list,
      summary: "List blocks",
      tag,
      access: readAccess,
      scope: "none",
      query: BlockListQuery,
      response: z.array(BlockWire),
      handler: async ({ actor, query }) => {
        const page = toPage(query, { limit: 50, order: "asc" });
        return (await memoir.blocks.list(actor, fromBlockFilter(query), page)).map(toBlockWire);
      },
    }),
    create: defineRoute({
      method: "POST",
      path: `${root}/`,
      operationId: operations.create,
      summary: "Create a block",
      tag,
      access: writeAccess,
      scope: "none",
      body: CreateBlockWire,
      response: BlockWire,
      handler: async ({ actor, body }) => toBlockWire(await memoir.blocks.create(actor, fromCreateBlock(body))),
    }),
    delete: defineRoute({
      method: "DELETE",
      path: `${root}/{block_id}`,
      operationId: operations.delete,
      summary: "Delete a block; agents that hold it lose it",
      tag,
      access: writeAccess,
      scope: "none",
      params: BlockParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.blocks.delete(actor, params.block_id);
        return null;
      },
    }),
    agents: defineRoute({
      method: "GET",
      path: `${root}/{block_id}/agents`,
      operationId: operations.agents,
      summary: "List the agents that hold a block",
      tag,
      access: readAccess,
      scope: "none",
      params: BlockParams,
      query: AgentIncludeQuery,
      response: z.array(AgentWire),
      handler: ({ actor, params, query }) => listHolders(memoir, actor, params.block_id, query),
    }),
  };
}
