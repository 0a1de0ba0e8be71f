/** The environment variables of a sandbox. */
import { invalidInput, type Memoir, MemoirError } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { Nothing } from "../shared/fields.ts";
import { pageSize } from "../shared/paging.ts";
import { queryInteger, queryText } from "../shared/query.ts";
import { echoSecrets, maskedValue, secretSight } from "../shared/secret-values.ts";
import { toVariableWire } from "./mapper.ts";
import { SandboxParams, SandboxVariableWire, VariableParams, VariableUpdateWire, VariableWire } from "./schema.ts";

const tag = "sandbox-config";
const root = "/v1/sandbox-config";

export function sandboxVariableRoutes(memoir: Memoir, showsSecrets: boolean): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: `${root}/{sandbox_config_id}/environment-variable`,
      operationId: "create_sandbox_env_var",
      summary: "Give a sandbox an environment variable",
      tag,
      access: "owner",
      scope: "none",
      params: SandboxParams,
      body: VariableWire,
      response: SandboxVariableWire,
      handler: async ({ actor, params, body }) => {
        if (body.value === maskedValue) {
          throw invalidInput(
            "value",
            `value is "${maskedValue}", which stands for a value that is not shown: give the value`,
          );
        }
        const input = { name: body.key, value: body.value, description: body.description ?? null };
        const variable = await memoir.sandboxConfigs.addVariable(actor, params.sandbox_config_id, input);
        return toVariableWire(variable, actor.orgId, echoSecrets({ [body.key]: body.value }));
      },
    }),
    defineRoute({
      method: "GET",
      path: `${root}/{sandbox_config_id}/environment-variable`,
      operationId: "list_sandbox_env_vars",
      summary: "List the environment variables of a sandbox",
      tag,
      access: "owner",
      scope: "none",
      params: SandboxParams,
      query: z.object({ limit: queryInteger(), after: queryText }),
      response: z.array(SandboxVariableWire),
      handler: async ({ actor, caller, params, query }) => {
        const variables = await memoir.sandboxConfigs.listVariables(actor, params.sandbox_config_id);
        const start = query.after ? variables.findIndex(({ id }) => id === query.after) + 1 : 0;
        if (query.after && start === 0) {
          const details = { entity: "environment variable", id: query.after };
          throw new MemoirError("not-found", "no such variable", { details });
        }
        const page = variables.slice(start, start + pageSize(query.limit ?? 1000));
        return page.map((variable) => toVariableWire(variable, actor.orgId, secretSight(showsSecrets, caller)));
      },
    }),
    defineRoute({
      method: "PATCH",
      path: `${root}/environment-variable/{environment_variable_id}`,
      operationId: "update_sandbox_env_var",
      summary: "Change an environment variable",
      tag,
      access: "owner",
      scope: "none",
      params: VariableParams,
      body: VariableUpdateWire,
      response: SandboxVariableWire,
      handler: async ({ actor, params, body }) => {
        const value = body.value === maskedValue ? undefined : body.value;
        const update = { name: body.key, value, description: body.description };
        const variable = await memoir.sandboxConfigs.updateVariable(actor, params.environment_variable_id, update);
        return toVariableWire(variable, actor.orgId, echoSecrets({ [variable.name]: value }));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: `${root}/environment-variable/{environment_variable_id}`,
      operationId: "delete_sandbox_env_var",
      summary: "Delete an environment variable",
      tag,
      access: "owner",
      scope: "none",
      params: VariableParams,
      status: 204,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.sandboxConfigs.deleteVariable(actor, params.environment_variable_id);
        return null;
      },
    }),
  ];
}
