/** `/v1/sandbox-config`: settings of sandboxes as records, and the variables tools find there. */
import type { Actor, Memoir, SandboxKind } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { Nothing } from "../shared/fields.ts";
import { setNotices } from "../shared/notices.ts";
import { toPage } from "../shared/paging.ts";
import { queryInteger, queryText } from "../shared/query.ts";
import { completeSettings, guessKind, readSettings, toSandboxConfigWire } from "./mapper.ts";
import { defaultSettings, SandboxConfigWire, SandboxParams, SandboxSettingsWire, settingsOf } from "./schema.ts";
import { sandboxVariableRoutes } from "./variable-routes.ts";

const tag = "sandbox-config";
const root = "/v1/sandbox-config";

const noVenv =
  "Memoir has no venv to recreate. Packages that tools require are installed once for each set; missing ones are being installed.";

export function sandboxRoutes(memoir: Memoir, { showsSecrets }: { readonly showsSecrets: boolean }): Route[] {
  const ensure = async (actor: Actor, kind: SandboxKind) =>
    toSandboxConfigWire(await memoir.sandboxConfigs.ensure(actor, kind, defaultSettings[kind]), actor.orgId);
  return [
    defineRoute({
      method: "GET",
      path: `${root}/`,
      operationId: "list_sandbox_configs",
      summary: "List settings of sandboxes, one for each kind",
      tag,
      access: "owner",
      scope: "none",
      query: z.object({ limit: queryInteger(), after: queryText, sandbox_type: queryText }),
      response: z.array(SandboxConfigWire),
      handler: async ({ actor, query }) => {
        const configs = await memoir.sandboxConfigs.list(actor, toPage(query, { limit: 1000, order: "asc" }));
        const isWanted = ({ kind }: { kind: string }) =>
          query.sandbox_type === undefined || kind === query.sandbox_type;
        return configs.filter(isWanted).map((config) => toSandboxConfigWire(config, actor.orgId));
      },
    }),
    defineRoute({
      method: "POST",
      path: `${root}/`,
      operationId: "create_sandbox_config",
      summary: "Store settings of a sandbox, in place of those of its kind",
      tag,
      access: "owner",
      scope: "none",
      body: SandboxSettingsWire,
      response: SandboxConfigWire,
      handler: async ({ actor, body }) => {
        const kind = body.type ?? guessKind(body.config);
        const settings = completeSettings(kind, body.config);
        return toSandboxConfigWire(await memoir.sandboxConfigs.put(actor, kind, settings), actor.orgId);
      },
    }),
    defineRoute({
      method: "POST",
      path: `${root}/e2b/default`,
      operationId: "create_default_e2b_sandbox_config",
      summary: "The settings of the e2b sandbox, made if there are none",
      tag,
      access: "owner",
      scope: "none",
      response: SandboxConfigWire,
      handler: ({ actor }) => ensure(actor, "e2b"),
    }),
    defineRoute({
      method: "POST",
      path: `${root}/local/default`,
      operationId: "create_default_local_sandbox_config",
      summary: "The settings of the local sandbox, made if there are none",
      tag,
      access: "owner",
      scope: "none",
      response: SandboxConfigWire,
      handler: ({ actor }) => ensure(actor, "local"),
    }),
    defineRoute({
      method: "POST",
      path: `${root}/local`,
      operationId: "create_custom_local_sandbox_config",
      summary: "Store settings of the local sandbox",
      tag,
      access: "owner",
      scope: "none",
      body: settingsOf.local,
      response: SandboxConfigWire,
      handler: async ({ actor, body }) => {
        const settings = completeSettings("local", JSON.parse(JSON.stringify(body)));
        return toSandboxConfigWire(await memoir.sandboxConfigs.put(actor, "local", settings), actor.orgId);
      },
    }),
    defineRoute({
      method: "POST",
      path: `${root}/local/recreate-venv`,
      operationId: "recreate_local_sandbox_venv",
      summary: "There is no venv: begin to install what tools require and is not there, also where that failed before",
      tag,
      access: "owner",
      scope: "none",
      response: SandboxConfigWire,
      handler: async ({ actor, reply }) => {
        memoir.toolEnvironments.buildAll(actor);
        setNotices(reply, [noVenv]);
        return await ensure(actor, "local");
      },
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/{sandbox_config_id}`,
      operationId: "update_sandbox_config",
      summary: "Change settings of a sandbox",
      tag,
      access: "owner",
      scope: "none",
      params: SandboxParams,
      body: SandboxSettingsWire,
      response: SandboxConfigWire,
      handler: async ({ actor, params, body }) => {
        const { kind } = await memoir.sandboxConfigs.get(actor, params.sandbox_config_id);
        const settings = readSettings(kind, body.config);
        const config = await memoir.sandboxConfigs.update(actor, params.sandbox_config_id, settings);
        return toSandboxConfigWire(config, actor.orgId);
      },
    }),
    defineRoute({
      method: "DELETE",
      path: `${root}/{sandbox_config_id}`,
      operationId: "delete_sandbox_config",
      summary: "Delete settings of a sandbox with its variables",
      tag,
      access: "owner",
      scope: "none",
      params: SandboxParams,
      status: 204,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.sandboxConfigs.delete(actor, params.sandbox_config_id);
        return null;
      },
    }),
    ...sandboxVariableRoutes(memoir, showsSecrets),
  ];
}
