/** What is in a folder, and who may look into it. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { PassageWire } from "../passages/schema.ts";
import { Nothing } from "../shared/fields.ts";
import { notYet } from "../shared/not-yet.ts";
import { pageShape, toPage } from "../shared/paging.ts";
import type { Family } from "./families.ts";
import { toFileWire, toFolderPassageWire } from "./mapper.ts";
import { FileContentQuery, FileListQuery, FileWire, folderFileParams, folderParams, UploadQuery } from "./schema.ts";
import { checkUpload, UploadWire } from "./upload.ts";

export function contentRoutes(memoir: Memoir, family: Family): Route[] {
  const { root, tag, param, isDeprecated, operations } = family;
  const one = `${root}/{${param}}`;
  const params = folderParams(param);
  const fileParams = folderFileParams(param);
  return [
    defineRoute({
      method: "POST",
      path: `${one}/upload`,
      operationId: operations.upload,
      summary: "Put a file into a folder",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params,
      query: UploadQuery,
      body: UploadWire,
      isForm: true,
      response: FileWire,
      handler: async ({ actor, params: { [param]: id }, query, body }) => {
        await memoir.folders.get(actor, id);
        checkUpload(body, query.name);
        throw notYet("Memoir cannot read files yet, so nothing was stored of this one.");
      },
    }),
    defineRoute({
      method: "GET",
      path: `${one}/agents`,
      operationId: operations.agents,
      summary: "List the ids of the agents that may look into a folder",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params,
      query: z.object(pageShape),
      response: z.array(z.string()),
      handler: async ({ actor, params: { [param]: id }, query }) =>
        await memoir.folders.listAgentIds(actor, id, toPage(query, { limit: family.listLimit, order: "desc" })),
    }),
    defineRoute({
      method: "GET",
      path: `${one}/passages`,
      operationId: operations.passages,
      summary: "List the passages that a folder's files were cut into",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params,
      query: z.object(pageShape),
      response: z.array(PassageWire),
      handler: async ({ actor, params: { [param]: id }, query }) => {
        const page = toPage(query, { limit: 100, order: "desc" });
        const passages = await memoir.folders.listPassages(actor, id, page);
        return passages.map((passage) => toFolderPassageWire(passage, actor));
      },
    }),
    defineRoute({
      method: "GET",
      path: `${one}/files`,
      operationId: operations.files,
      summary: "List the files of a folder",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params,
      query: FileListQuery,
      response: z.array(FileWire),
      handler: async ({ actor, params: { [param]: id }, query }) => {
        const page = toPage(query, { limit: 1000, order: "desc" });
        const files = await memoir.folders.listFiles(actor, id, page, query.include_content);
        return files.map((file) => toFileWire(file, actor.orgId));
      },
    }),
    defineRoute({
      method: "GET",
      path: `${one}/files/{file_id}`,
      operationId: operations.file,
      summary: "Retrieve what is known of a file",
      tag,
      access: "read",
      scope: "none",
      isDeprecated,
      params: fileParams,
      query: FileContentQuery,
      response: FileWire,
      handler: async ({ actor, params: { [param]: id, file_id }, query }) =>
        toFileWire(await memoir.folders.getFile(actor, id, file_id, query.include_content), actor.orgId),
    }),
    defineRoute({
      method: "DELETE",
      path: `${one}/{file_id}`,
      operationId: operations.deleteFile,
      summary: "Delete a file; agents that had it open lose it",
      tag,
      access: "member",
      scope: "none",
      isDeprecated,
      params: fileParams,
      status: 204,
      response: Nothing,
      handler: async ({ actor, params: { [param]: id, file_id } }) => {
        await memoir.folders.deleteFile(actor, id, file_id);
        return null;
      },
    }),
  ];
}
