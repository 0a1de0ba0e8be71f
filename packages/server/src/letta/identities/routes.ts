/** `/v1/identities`. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toAgentWire } from "../agents/mapper.ts";
import { includedRelations } from "../agents/relations.ts";
import { AgentIncludeQuery, AgentWire } from "../agents/schema.ts";
import { toBlockWire } from "../blocks/mapper.ts";
import { BlockWire } from "../blocks/schema.ts";
import { Count, Nothing } from "../shared/fields.ts";
import { pageShape, toPage } from "../shared/paging.ts";
import { fromCreateIdentity, fromIdentityFilter, fromIdentityUpdate, toIdentityWire } from "./mapper.ts";
import {
  CreateIdentityWire,
  IdentityListQuery,
  IdentityParams,
  IdentityPropertiesWire,
  IdentityUpdateWire,
  IdentityWire,
} from "./schema.ts";

const tag = "identities";

export function identityRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/identities/",
      operationId: "list_identities",
      summary: "List identities",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      query: IdentityListQuery,
      response: z.array(IdentityWire),
      handler: async ({ actor, query }) => {
        const page = toPage(query, { limit: 50, order: "desc" });
        const identities = await memoir.identities.list(actor, fromIdentityFilter(query), page);
        return identities.map((identity) => toIdentityWire(identity, actor));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/identities/",
      operationId: "create_identity",
      summary: "Create an identity",
      tag,
      access: "member",
      scope: "none",
      isDeprecated: true,
      body: CreateIdentityWire,
      response: IdentityWire,
      handler: async ({ actor, body }) =>
        toIdentityWire(await memoir.identities.create(actor, fromCreateIdentity(body)), actor),
    }),
    defineRoute({
      method: "PUT",
      path: "/v1/identities/",
      operationId: "upsert_identity",
      summary: "Create an identity, or update the one with this key",
      tag,
      access: "member",
      scope: "none",
      isDeprecated: true,
      body: CreateIdentityWire,
      response: IdentityWire,
      handler: async ({ actor, body }) =>
        toIdentityWire(await memoir.identities.upsert(actor, fromCreateIdentity(body)), actor),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/identities/count",
      operationId: "count_identities",
      summary: "Count identities",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      response: Count,
      handler: ({ actor }) => memoir.identities.count(actor),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/identities/{identity_id}",
      operationId: "retrieve_identity",
      summary: "Retrieve an identity",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      params: IdentityParams,
      response: IdentityWire,
      handler: async ({ actor, params }) =>
        toIdentityWire(await memoir.identities.get(actor, params.identity_id), actor),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/identities/{identity_id}",
      operationId: "update_identity",
      summary: "Update an identity; properties are merged, links added",
      tag,
      access: "member",
      scope: "none",
      isDeprecated: true,
      params: IdentityParams,
      body: IdentityUpdateWire,
      response: IdentityWire,
      handler: async ({ actor, params, body }) =>
        toIdentityWire(await memoir.identities.update(actor, params.identity_id, fromIdentityUpdate(body)), actor),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/identities/{identity_id}",
      operationId: "delete_identity",
      summary: "Delete an identity; agents and blocks stay",
      tag,
      access: "member",
      scope: "none",
      isDeprecated: true,
      params: IdentityParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.identities.delete(actor, params.identity_id);
        return null;
      },
    }),
    defineRoute({
      method: "PUT",
      path: "/v1/identities/{identity_id}/properties",
      operationId: "upsert_properties_for_identity",
      summary: "Replace an identity's properties",
      tag,
      access: "member",
      scope: "none",
      isDeprecated: true,
      params: IdentityParams,
      body: IdentityPropertiesWire,
      response: Nothing,
      handler: async ({ actor, params, body }) => {
        await memoir.identities.replaceProperties(actor, params.identity_id, body);
        return null;
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/identities/{identity_id}/agents",
      operationId: "list_agents_for_identity",
      summary: "List the agents of an identity",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      params: IdentityParams,
      query: AgentIncludeQuery,
      response: z.array(AgentWire),
      handler: async ({ actor, params, query }) => {
        await memoir.identities.get(actor, params.identity_id);
        const views = await memoir.agents.list(actor, {
          filter: { identityId: params.identity_id, showHidden: true },
          page: toPage(query, { limit: 50, order: "desc" }),
          relations: includedRelations(query, true),
        });
        return views.map((view) => toAgentWire(view, actor));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/identities/{identity_id}/blocks",
      operationId: "list_blocks_for_identity",
      summary: "List the blocks of an identity",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      params: IdentityParams,
      query: z.object(pageShape),
      response: z.array(BlockWire),
      handler: async ({ actor, params, query }) => {
        await memoir.identities.get(actor, params.identity_id);
        const filter = { identityId: params.identity_id, showHidden: true };
        const page = toPage(query, { limit: 50, order: "desc" });
        return (await memoir.blocks.list(actor, filter, page)).map(toBlockWire);
      },
    }),
  ];
}
