/** `/v1/memoir/…`: the past of memory blocks. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { AgentParams } from "../../letta/agents/schema.ts";
import { BlockParams } from "../../letta/blocks/schema.ts";
import { fromWireTime } from "../../letta/shared/time.ts";
import { defineRoute, type Route } from "../../route.ts";
import { fromRestorePoint, toBlameWire, toDiffWire, toRestoreWire, toVersionWire } from "./mapper.ts";
import {
  BlameQuery,
  BlameWire,
  DiffQuery,
  DiffWire,
  RestoreBlocksWire,
  RestoreBlockWire,
  RestoreMemoryWire,
  RestoreWire,
  VersionListQuery,
  VersionParams,
  VersionWire,
} from "./schema.ts";

const tag = "memoir";

export function historyRoutes(memoir: Memoir): Route[] {
  return [...readingRoutes(memoir), ...restoringRoutes(memoir)];
}

function readingRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/memoir/blocks/{block_id}/versions",
      operationId: "memoir_list_block_versions",
      summary: "List the versions of a block, newest first unless asked otherwise, each with its cause",
      tag,
      access: "read",
      scope: "none",
      params: BlockParams,
      query: VersionListQuery,
      response: z.array(VersionWire),
      handler: async ({ actor, params, query }) => {
        const page = {
          limit: query.limit ?? 50,
          order: query.order ?? "desc",
          after: query.after,
          before: query.before,
          withValues: query.include_value ?? false,
        };
        return (await memoir.history.listVersions(actor, params.block_id, page)).map(toVersionWire);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/blocks/{block_id}/versions/{version}",
      operationId: "memoir_retrieve_block_version",
      summary: "Retrieve one version of a block with its text",
      tag,
      access: "read",
      scope: "none",
      params: VersionParams,
      response: VersionWire,
      handler: async ({ actor, params }) =>
        toVersionWire(await memoir.history.getVersion(actor, params.block_id, params.version)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/blocks/{block_id}/diff",
      operationId: "memoir_diff_block_versions",
      summary: "Compare two versions of a block; without numbers, the newest with the one before it",
      tag,
      access: "read",
      scope: "none",
      params: BlockParams,
      query: DiffQuery,
      response: DiffWire,
      handler: async ({ actor, params, query }) =>
        toDiffWire(await memoir.history.diffVersions(actor, params.block_id, query)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/blocks/{block_id}/blame",
      operationId: "memoir_blame_block",
      summary: "Trace each line of a block to the version, tool call and messages that wrote it",
      tag,
      access: "read",
      scope: "none",
      params: BlockParams,
      query: BlameQuery,
      response: BlameWire,
      handler: async ({ actor, params, query }) =>
        toBlameWire(await memoir.history.blame(actor, params.block_id, query.version)),
    }),
  ];
}

function restoringRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/memoir/blocks/{block_id}/restore",
      operationId: "memoir_restore_block",
      summary: "Bring back the text a block had in a version or at a moment",
      tag,
      access: "member",
      scope: "none",
      params: BlockParams,
      body: RestoreBlockWire,
      response: RestoreWire,
      handler: async ({ actor, params, body }) => {
        const isDryRun = body.dry_run ?? false;
        const options = { isDryRun, expectedVersion: body.expected_version };
        const block = await memoir.history.restore(actor, params.block_id, fromRestorePoint(body), options);
        return toRestoreWire([block], isDryRun);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/memoir/blocks/restore",
      operationId: "memoir_restore_blocks",
      summary: "Bring back the texts several blocks had at one moment: all of them or none",
      tag,
      access: "member",
      scope: "none",
      body: RestoreBlocksWire,
      response: RestoreWire,
      handler: async ({ actor, body }) => {
        const isDryRun = body.dry_run ?? false;
        const at = fromWireTime(body.at);
        return toRestoreWire(await memoir.history.restoreSeveral(actor, body.block_ids, at, { isDryRun }), isDryRun);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/memoir/agents/{agent_id}/restore-memory",
      operationId: "memoir_restore_agent_memory",
      summary: "Bring back the texts an agent's blocks had at one moment: all of them or none",
      tag,
      access: "member",
      scope: "none",
      params: AgentParams,
      body: RestoreMemoryWire,
      response: RestoreWire,
      handler: async ({ actor, params, body }) => {
        const isDryRun = body.dry_run ?? false;
        const options = { isDryRun, labels: body.labels };
        const blocks = await memoir.history.restoreAgent(actor, params.agent_id, fromWireTime(body.at), options);
        return toRestoreWire(blocks, isDryRun);
      },
    }),
  ];
}
