/** `/v1/groups`: groups as records, and what was said in them. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams, DeletedWire } from "../agents/schema.ts";
import { Count, Nothing } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { fromCreateGroup, fromGroupUpdate, toGroupWire } from "./mapper.ts";
import { groupMessageRoutes } from "./message-routes.ts";
import {
  CreateGroupWire,
  GroupBlockParams,
  GroupListQuery,
  GroupParams,
  GroupUpdateWire,
  GroupWire,
} from "./schema.ts";

const tag = "groups";
const isDeprecated = true;

export function groupRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/groups/",
      operationId: "list_groups",
      summary: "List groups",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      query: GroupListQuery,
      response: z.array(GroupWire),
      handler: async ({ actor, query }) => {
        const { manager_type: kind, project_id: projectId, show_hidden_groups: showHidden } = query;
        const page = toPage(query, { limit: 50, order: "asc" });
        return (await memoir.groups.list(actor, { kind, projectId, showHidden }, page)).map(toGroupWire);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/groups/",
      operationId: "create_group",
      summary: "Create a group",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      body: CreateGroupWire,
      response: GroupWire,
      handler: async ({ actor, body }) => toGroupWire(await memoir.groups.create(actor, fromCreateGroup(body))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/groups/count",
      operationId: "count_groups",
      summary: "Count groups",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      response: Count,
      handler: ({ actor }) => memoir.groups.count(actor),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/groups/{group_id}",
      operationId: "retrieve_group",
      summary: "Retrieve a group",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params: GroupParams,
      response: GroupWire,
      handler: async ({ actor, params }) => toGroupWire(await memoir.groups.get(actor, params.group_id)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/groups/{group_id}",
      operationId: "modify_group",
      summary: "Update a group",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params: GroupParams,
      body: GroupUpdateWire,
      response: GroupWire,
      handler: async ({ actor, params, body }) =>
        toGroupWire(await memoir.groups.update(actor, params.group_id, fromGroupUpdate(body))),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/groups/{group_id}",
      operationId: "delete_group",
      summary: "Delete a group; its members stay",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params: GroupParams,
      response: DeletedWire,
      handler: async ({ actor, params }) => {
        await memoir.groups.delete(actor, params.group_id);
        return { message: `Group id=${params.group_id} successfully deleted` };
      },
    }),
    ...blockRoutes(memoir),
    ...groupMessageRoutes(memoir),
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/groups",
      operationId: "list_groups_for_agent",
      summary: "List the groups an agent is a member of",
      tag: "agents",
      access: "read",
      scope: "none",
      params: AgentParams,
      query: GroupListQuery,
      response: z.array(GroupWire),
      handler: async ({ actor, params, query }) => {
        const page = toPage(query, { limit: 100, order: "desc" });
        const { manager_type: kind } = query;
        return (await memoir.groups.listOfAgent(actor, params.agent_id, { kind }, page)).map(toGroupWire);
      },
    }),
  ];
}

function blockRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "PATCH",
      path: "/v1/groups/{group_id}/blocks/attach/{block_id}",
      operationId: "attach_block_to_group",
      summary: "Share a block in a group",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params: GroupBlockParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.groups.attachBlock(actor, params.group_id, params.block_id);
        return null;
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/groups/{group_id}/blocks/detach/{block_id}",
      operationId: "detach_block_from_group",
      summary: "Share a block in a group no longer",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params: GroupBlockParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.groups.detachBlock(actor, params.group_id, params.block_id);
        return null;
      },
    }),
  ];
}
