/** `/v1/folders`, and the same under its older name, `/v1/sources`. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { Count, Nothing, wireName } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { contentRoutes } from "./content-routes.ts";
import { type Family, families } from "./families.ts";
import { fromCreateFolder, fromFolderUpdate, toFolderStatsWire } from "./mapper.ts";
import {
  CreateFolderWire,
  FolderListQuery,
  FolderStatsQuery,
  FolderStatsWire,
  FolderUpdateWire,
  folderParams,
} from "./schema.ts";

export function folderRoutes(memoir: Memoir): Route[] {
  return families.flatMap((family) => [...recordRoutes(memoir, family), ...contentRoutes(memoir, family)]);
}

function recordRoutes(memoir: Memoir, family: Family): Route[] {
  const { root, tag, param, isDeprecated, wire, toWire, operations } = family;
  const one = `${root}/{${param}}`;
  const params = folderParams(param);
  return [
    defineRoute({
      method: "GET",
      path: `${root}/`,
      operationId: operations.list,
      summary: "List folders",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      query: FolderListQuery,
      response: z.array(wire),
      handler: async ({ actor, query }) => {
        const page = toPage(query, { limit: family.listLimit, order: "asc" });
        const folders = await memoir.folders.list(actor, { name: query.name }, page);
        return folders.map((folder) => toWire(folder, actor.orgId));
      },
    }),
    defineRoute({
      method: "POST",
      path: `${root}/`,
      operationId: operations.create,
      summary: "Create a folder",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      body: CreateFolderWire,
      response: wire,
      handler: async ({ actor, body }) =>
        toWire(await memoir.folders.create(actor, fromCreateFolder(body)), actor.orgId),
    }),
    defineRoute({
      method: "GET",
      path: `${root}/count`,
      operationId: operations.count,
      summary: "Count folders",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      response: Count,
      handler: ({ actor }) => memoir.folders.count(actor),
    }),
    defineRoute({
      method: "GET",
      path: `${root}/metadata`,
      operationId: operations.metadata,
      summary: "How many folders and files there are, and how large they are",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      query: FolderStatsQuery,
      response: FolderStatsWire,
      handler: async ({ actor, query }) => {
        const withDetails = query.include_detailed_per_source_metadata ?? false;
        return toFolderStatsWire(await memoir.folders.measure(actor, { withDetails }));
      },
    }),
    defineRoute({
      method: "GET",
      path: `${root}/name/{${param.replace("_id", "_name")}}`,
      operationId: operations.byName,
      summary: "The id of the folder with this name",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      params: z.object({ [param.replace("_id", "_name")]: wireName }),
      response: z.string(),
      handler: async ({ actor, params: named }) =>
        (await memoir.folders.getByName(actor, Object.values(named)[0] ?? "")).id,
    }),
    defineRoute({
      method: "GET",
      path: one,
      operationId: operations.retrieve,
      summary: "Retrieve a folder",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params,
      response: wire,
      handler: async ({ actor, params: { [param]: id } }) => toWire(await memoir.folders.get(actor, id), actor.orgId),
    }),
    defineRoute({
      method: "PATCH",
      path: one,
      operationId: operations.modify,
      summary: "Update a folder",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params,
      body: FolderUpdateWire,
      response: wire,
      handler: async ({ actor, params: { [param]: id }, body }) =>
        toWire(await memoir.folders.update(actor, id, fromFolderUpdate(body)), actor.orgId),
    }),
    defineRoute({
      method: "DELETE",
      path: one,
      operationId: operations.delete,
      summary: "Delete a folder with its files; agents that had it lose it",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params,
      response: Nothing,
      handler: async ({ actor, params: { [param]: id } }) => {
        await memoir.folders.delete(actor, id);
        return null;
      },
    }),
  ];
}
