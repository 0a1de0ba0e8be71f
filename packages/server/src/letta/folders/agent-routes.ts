/** The folders and files of an agent, by the agent's own paths. */
import type { Actor, Memoir, NamedLink } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toAgentWire } from "../agents/mapper.ts";
import { AgentParams, AgentWire } from "../agents/schema.ts";
import { pageShape, toPage } from "../shared/paging.ts";
import { toWireTime } from "../shared/time.ts";
import { AgentFileParams, AgentFilesQuery, AgentFilesWire, agentFolderParams, ClosedWire } from "./agent-schema.ts";
import { toSourceWire } from "./mapper.ts";
import { type FolderParam, SourceWire } from "./schema.ts";

const tag = "agents";

export function agentFolderRoutes(memoir: Memoir): Route[] {
  return [...familyRoutes(memoir, "folder_id"), ...familyRoutes(memoir, "source_id"), ...fileRoutes(memoir)];
}

const operations = {
  folder_id: {
    noun: "folders",
    list: "list_folders_for_agent",
    attach: "attach_folder_to_agent",
    detach: "detach_folder_from_agent",
  },
  source_id: {
    noun: "sources",
    list: "list_agent_sources",
    attach: "attach_source_to_agent",
    detach: "detach_source_from_agent",
  },
} as const;

function familyRoutes(memoir: Memoir, param: FolderParam): Route[] {
  const { noun, list, attach, detach } = operations[param];
  const isOlder = param === "source_id";
  const root = `/v1/agents/{agent_id}/${noun}`;
  const params = agentFolderParams(param);
  const isDeprecated = isOlder;
  /** Clients of the current generation want nothing back, except where the contract promises the agent. */
  const answer = async (actor: Actor, agentId: string, isCurrentClient: boolean) =>
    isCurrentClient && !isOlder ? null : toAgentWire(await memoir.agents.get(actor, agentId), actor);
  const response = isOlder ? AgentWire : AgentWire.nullable();
  return [
    defineRoute({
      method: "GET",
      path: root,
      operationId: list,
      summary: "List the folders an agent may look into",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params: AgentParams,
      query: z.object(pageShape),
      response: z.array(SourceWire),
      handler: async ({ actor, params: { agent_id }, query }) => {
        const page = toPage(query, { limit: 100, order: "desc" });
        const folders = await memoir.folders.listOfAgent(actor, agent_id, page);
        return folders.map((folder) => toSourceWire(folder, actor.orgId));
      },
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/attach/{${param}}`,
      operationId: attach,
      summary: "Let an agent look into a folder; as many of its files as may be are opened",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params,
      response,
      handler: async ({ actor, params: { agent_id, [param]: id }, isCurrentClient }) => {
        await memoir.folders.attach(actor, agent_id, id);
        return await answer(actor, agent_id, isCurrentClient);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/detach/{${param}}`,
      operationId: detach,
      summary: "Take a folder and its files from an agent",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params,
      response,
      handler: async ({ actor, params: { agent_id, [param]: id }, isCurrentClient }) => {
        await memoir.folders.detach(actor, agent_id, id);
        return await answer(actor, agent_id, isCurrentClient);
      },
    }),
  ];
}

function fileRoutes(memoir: Memoir): Route[] {
  const root = "/v1/agents/{agent_id}/files";
  return [
    defineRoute({
      method: "GET",
      path: root,
      operationId: "list_files_for_agent",
      summary: "List the files an agent has at hand, open or closed",
      tag,
      access: "read",
      scope: "none",
      params: AgentParams,
      query: AgentFilesQuery,
      response: AgentFilesWire,
      handler: async ({ actor, params, query }) => {
        const page = toPage({ ...query, after: query.after ?? query.cursor }, { limit: 100, order: "desc" });
        const { agent_id: agentId } = params;
        const { files, hasMore } = await memoir.openFiles.list(actor, agentId, { isOpen: query.is_open }, page);
        return { files: files.map(toAgentFileWire), next_cursor: files.at(-1)?.id ?? null, has_more: hasMore };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/close-all`,
      operationId: "close_all_files_for_agent",
      summary: "Close every file of an agent; answers the names of those that were open",
      tag,
      access: "member",
      scope: "none",
      params: AgentParams,
      response: z.array(z.string()),
      handler: ({ actor, params }) => memoir.openFiles.closeAll(actor, params.agent_id),
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/{file_id}/open`,
      operationId: "open_file_for_agent",
      summary: "Open a file for an agent; answers the names of those that gave way",
      tag,
      access: "member",
      scope: "none",
      params: AgentFileParams,
      response: z.array(z.string()),
      handler: ({ actor, params }) => memoir.openFiles.open(actor, params.agent_id, params.file_id),
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/{file_id}/close`,
      operationId: "close_file_for_agent",
      summary: "Close a file of an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentFileParams,
      response: ClosedWire,
      handler: async ({ actor, params }) => {
        await memoir.openFiles.close(actor, params.agent_id, params.file_id);
        return { message: `File id=${params.file_id} successfully closed` };
      },
    }),
  ];
}

function toAgentFileWire(link: NamedLink) {
  return {
    id: link.id,
    file_id: link.fileId,
    file_name: link.fileName,
    folder_id: link.folderId,
    folder_name: link.folderName,
    is_open: link.isOpen,
    last_accessed_at: toWireTime(link.lastAccessedAt),
    visible_content: link.visible,
    start_line: link.startLine,
    end_line: link.endLine,
  };
}
