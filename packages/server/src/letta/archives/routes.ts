/** `/v1/archives`, and which of them agents hold. */
import { isId, type Memoir, MemoirError } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toAgentWire } from "../agents/mapper.ts";
import { includedRelations } from "../agents/relations.ts";
import { AgentIncludeQuery, AgentWire } from "../agents/schema.ts";
import { Nothing } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { fromCreateArchive, toArchiveWire } from "./mapper.ts";
import {
  AgentArchiveParams,
  ArchiveListQuery,
  ArchiveParams,
  ArchiveUpdateWire,
  ArchiveWire,
  CreateArchiveWire,
} from "./schema.ts";

const tag = "archives";

export function archiveRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/archives/",
      operationId: "list_archives",
      summary: "List archives",
      tag,
      access: "read",
      scope: "none",
      query: ArchiveListQuery,
      response: z.array(ArchiveWire),
      handler: async ({ actor, query }) => {
        const filter = { name: query.name, agentId: query.agent_id };
        const archives = await memoir.archives.list(actor, filter, toPage(query, { limit: 50, order: "desc" }));
        return archives.map((archive) => toArchiveWire(archive, actor));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/archives/",
      operationId: "create_archive",
      summary: "Create an archive",
      tag,
      access: "member",
      scope: "none",
      body: CreateArchiveWire,
      response: ArchiveWire,
      handler: async ({ actor, body }) =>
        toArchiveWire(await memoir.archives.create(actor, fromCreateArchive(body)), actor),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/archives/{archive_id}",
      operationId: "retrieve_archive",
      summary: "Retrieve an archive",
      tag,
      access: "read",
      scope: "none",
      params: ArchiveParams,
      response: ArchiveWire,
      handler: async ({ actor, params }) => toArchiveWire(await memoir.archives.get(actor, params.archive_id), actor),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/archives/{archive_id}",
      operationId: "modify_archive",
      summary: "Rename or describe an archive",
      tag,
      access: "member",
      scope: "none",
      params: ArchiveParams,
      body: ArchiveUpdateWire,
      response: ArchiveWire,
      handler: async ({ actor, params, body }) => {
        const update = { name: body.name, description: body.description };
        return toArchiveWire(await memoir.archives.update(actor, params.archive_id, update), actor);
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/archives/{archive_id}",
      operationId: "delete_archive",
      summary: "Delete an archive with its passages",
      tag,
      access: "member",
      scope: "none",
      params: ArchiveParams,
      status: 204,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.archives.delete(actor, params.archive_id);
        return null;
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/archives/{archive_id}/agents",
      operationId: "list_agents_for_archive",
      summary: "List the agents that hold an archive",
      tag,
      access: "read",
      scope: "none",
      params: ArchiveParams,
      query: AgentIncludeQuery,
      response: z.array(AgentWire),
      handler: async ({ actor, params, query }) => {
        await memoir.archives.get(actor, params.archive_id);
        const views = await memoir.agents.list(actor, {
          filter: { archiveId: params.archive_id, showHidden: true },
          page: toPage(query, { limit: 50, order: "desc" }),
          relations: includedRelations(query, true),
        });
        return views.map((view) => toAgentWire(view, actor));
      },
    }),
    ...agentArchiveRoutes(memoir),
  ];
}

function agentArchiveRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/archives/attach/{archive_id}",
      operationId: "attach_archive_to_agent",
      summary: "Give an agent its archive",
      tag: "agents",
      access: "member",
      scope: "none",
      params: AgentArchiveParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        rejectOddArchive(params.archive_id);
        await memoir.archives.attach(actor, params.archive_id, params.agent_id);
        return null;
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/archives/detach/{archive_id}",
      operationId: "detach_archive_from_agent",
      summary: "Take an archive from an agent; its passages stay",
      tag: "agents",
      access: "member",
      scope: "none",
      params: AgentArchiveParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        rejectOddArchive(params.archive_id);
        await memoir.archives.detach(actor, params.archive_id, params.agent_id);
        return null;
      },
    }),
  ];
}

function rejectOddArchive(id: string): void {
  if (isId("archive", id)) return;
  throw new MemoirError("invalid-argument", `Invalid archive ID format: ${id}. Expected format: 'archive-<uuid4>'`);
}
