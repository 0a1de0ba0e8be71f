/** Rows that the API cannot make yet: files as an upload will leave them, tools as a connection to an MCP server will. */
import { defaultOrgId } from "@memoir/core";
import { insertPassages } from "../../packages/core/src/store/archives/passages.ts";
import type { Scope } from "../../packages/core/src/store/engine/scope.ts";
import { Store } from "../../packages/core/src/store/engine/store.ts";
import { insertFile } from "../../packages/core/src/store/files/files.ts";
import { insertMissingTools, type Tool } from "../../packages/core/src/store/tools/tools.ts";

export async function storeFile(
  database: string,
  folder: { readonly id: string; readonly name: string },
  name: string,
  text: string,
  orgId = defaultOrgId,
): Promise<string> {
  return await write(database, orgId, async (scope) => {
    const at = scope.now();
    const id = scope.newId("file");
    const file = {
      id,
      folderId: folder.id,
      name: `${folder.name}/${name}`,
      originalName: name,
      mediaType: "text/plain",
      size: text.length,
      status: "completed" as const,
      error: null,
      totalChunks: null,
      chunksEmbedded: null,
      contentHash: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: null,
      createdAt: at,
      updatedAt: at,
      createdBy: null,
      updatedBy: null,
    };
    await insertFile(scope, file, text);
    const written = { createdAt: at, updatedAt: at, createdBy: null, updatedBy: null };
    const place = { archiveId: null, folderId: folder.id, fileId: id, ownerId: folder.id };
    const passage = {
      id: scope.newId("passage"),
      ...place,
      text,
      metadata: {},
      tags: null,
      embedding: null,
      ...written,
    };
    await insertPassages(scope, [passage]);
    return id;
  });
}

/** A tool that came from an MCP server. */
export async function storeMcpTool(
  database: string,
  serverId: string,
  name: string,
  description: string,
  orgId = defaultOrgId,
): Promise<string> {
  return await write(database, orgId, async (scope) => {
    const at = scope.now();
    const tool: Tool = {
      id: scope.newId("tool"),
      name,
      kind: "mcp",
      description,
      sourceKind: null,
      source: null,
      jsonSchema: { name, description, parameters: { type: "object", properties: {} } },
      argsSchema: null,
      tags: [],
      returnCharLimit: 50_000,
      pipRequirements: null,
      npmRequirements: null,
      needsApproval: null,
      isParallel: null,
      metadata: null,
      projectId: null,
      createdAt: at,
      updatedAt: at,
      createdBy: null,
      updatedBy: null,
    };
    await insertMissingTools(scope, [tool]);
    await scope.insert("mcp_tool", [{ mcp_server_id: serverId, tool_id: tool.id }]).execute();
    return tool.id;
  });
}

async function write<T>(database: string, orgId: string, work: (scope: Scope) => Promise<T>): Promise<T> {
  const store = await Store.open({ database });
  try {
    return await store.write(orgId, work);
  } finally {
    await store.close();
  }
}
