/** Passages: those of an archive, those an agent filed, and searches over both. */
import { type Memoir, MemoirError } from "@memoir/core";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams, DeletedWire } from "../agents/schema.ts";
import { ArchiveParams } from "../archives/schema.ts";
import { Nothing } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import {
  fromAgentSearch,
  fromCreatePassage,
  fromPassageSearch,
  toFoundPassagesWire,
  toPassageHitWire,
  toPassageWire,
} from "./mapper.ts";
import {
  AgentPassageListQuery,
  AgentPassageParams,
  AgentPassageSearchQuery,
  ArchivePassageParams,
  CreateAgentPassageWire,
  CreatePassagesWire,
  CreatePassageWire,
  FoundPassagesWire,
  PassageHitWire,
  PassageSearchWire,
  PassageWire,
} from "./schema.ts";

export function passageRoutes(memoir: Memoir): Route[] {
  return [
    ...archivePassageRoutes(memoir),
    ...agentPassageRoutes(memoir),
    defineRoute({
      method: "POST",
      path: "/v1/passages/search",
      operationId: "search_passages",
      summary: "Search the passages of an agent, an archive or the organization",
      tag: "passages",
      access: "read",
      scope: "none",
      body: PassageSearchWire,
      response: z.array(PassageHitWire),
      handler: async ({ actor, body }) => {
        const hits = await memoir.passages.search(actor, fromPassageSearch(body));
        return hits.map((hit) => toPassageHitWire(hit, actor));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/embeddings/total_storage_size",
      operationId: "get_total_storage_size",
      summary: "How much the vectors of passages take, in the unit of the storage-unit header",
      tag: "embeddings",
      access: "read",
      scope: "none",
      isDeprecated: true,
      response: z.number(),
      handler: async ({ actor, request }) => (await memoir.passages.sumVectorBytes(actor)) / readUnit(request),
    }),
  ];
}

const units: ReadonlyMap<string, number> = new Map([
  ["B", 1],
  ["KB", 1024],
  ["MB", 1024 ** 2],
  ["GB", 1024 ** 3],
  ["TB", 1024 ** 4],
]);

function readUnit({ headers }: FastifyRequest): number {
  const input = String(headers["storage-unit"] ?? headers.storage_unit ?? "GB");
  const unit = units.get(input.toUpperCase());
  if (unit !== undefined) return unit;
  throw new MemoirError("invalid-argument", `the storage unit "${input}" is not known: use B, KB, MB, GB or TB`);
}

function archivePassageRoutes(memoir: Memoir): Route[] {
  const tag = "archives";
  return [
    defineRoute({
      method: "POST",
      path: "/v1/archives/{archive_id}/passages",
      operationId: "create_passage_in_archive",
      summary: "File a passage in an archive",
      tag,
      access: "member",
      scope: "none",
      params: ArchiveParams,
      body: CreatePassageWire,
      response: PassageWire,
      handler: async ({ actor, params, body }) => {
        const [passage] = await memoir.passages.createInArchive(actor, params.archive_id, [fromCreatePassage(body)]);
        if (!passage) throw new Error("a passage was created and not returned");
        return toPassageWire(passage, actor);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/archives/{archive_id}/passages/batch",
      operationId: "create_passages_in_archive",
      summary: "File several passages in an archive, all or none",
      tag,
      access: "member",
      scope: "none",
      params: ArchiveParams,
      body: CreatePassagesWire,
      response: z.array(PassageWire),
      handler: async ({ actor, params, body }) => {
        const input = body.passages.map(fromCreatePassage);
        const passages = await memoir.passages.createInArchive(actor, params.archive_id, input);
        return passages.map((passage) => toPassageWire(passage, actor));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/archives/{archive_id}/passages/{passage_id}",
      operationId: "delete_passage_from_archive",
      summary: "Delete a passage of an archive",
      tag,
      access: "member",
      scope: "none",
      params: ArchivePassageParams,
      status: 204,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.passages.deleteFromArchive(actor, params.archive_id, params.passage_id);
        return null;
      },
    }),
  ];
}

function agentPassageRoutes(memoir: Memoir): Route[] {
  const tag = "agents";
  return [
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/archival-memory",
      operationId: "list_passages",
      summary: "List what an agent filed",
      tag,
      access: "read",
      scope: "agent",
      params: AgentParams,
      query: AgentPassageListQuery,
      response: z.array(PassageWire),
      handler: async ({ actor, params, query }) => {
        const page = toPage(query, { limit: 100, order: "asc" });
        const passages = await memoir.passages.listOfAgent(actor, params.agent_id, page, query.search);
        return passages.map((passage) => toPassageWire(passage, actor));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/archival-memory",
      operationId: "create_passage",
      summary: "File a passage for an agent",
      tag,
      access: "member",
      scope: "agent",
      params: AgentParams,
      body: CreateAgentPassageWire,
      scopedFields: { text: "free", tags: "free", created_at: "free" },
      response: z.array(PassageWire),
      handler: async ({ actor, params, body }) => [
        toPassageWire(await memoir.passages.createForAgent(actor, params.agent_id, fromCreatePassage(body)), actor),
      ],
    }),
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/archival-memory/search",
      operationId: "search_archival_memory",
      summary: "Search what an agent filed",
      tag,
      access: "read",
      scope: "agent",
      params: AgentParams,
      query: AgentPassageSearchQuery,
      response: FoundPassagesWire,
      handler: async ({ actor, params, query }) =>
        toFoundPassagesWire(await memoir.passages.searchOfAgent(actor, params.agent_id, fromAgentSearch(query))),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/agents/{agent_id}/archival-memory/{memory_id}",
      operationId: "delete_passage",
      summary: "Delete a passage of an agent",
      tag,
      access: "member",
      scope: "agent",
      params: AgentPassageParams,
      response: DeletedWire,
      handler: async ({ actor, params }) => {
        await memoir.passages.deleteOfAgent(actor, params.agent_id, params.memory_id);
        return { message: `Memory id=${params.memory_id} successfully deleted` };
      },
    }),
  ];
}
