/**
 * Tools of other people's catalogues, as agents of the old server had them. Composio's are run at Composio, with the key
 * that the agent, its organization or the server has. What LangChain had was Python of the old server: it is refused.
 */
import type { Runtime } from "../../runtime.ts";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import { findSandboxConfig } from "../../store/tools/sandbox-configs.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { actionOf } from "../../tools/composio/action.ts";
import { type ComposioAccess, defaultEntity, runAction } from "../../tools/composio/run-action.ts";
import type { Executors, OutsideCall } from "../../tools/tool.ts";
import { composeEnvironment, type EnvironmentOptions } from "../sandboxes/tool-environment.ts";
import { createSecretFilter, hideInValue } from "../secrets/redact-secrets.ts";

export interface ComposioTools {
  readonly runtime: Runtime;
  readonly access: ComposioAccess;
  readonly environment: EnvironmentOptions;
}

/** The package itself waits a minute for an answer. */
const timeoutMs = 90_000;

export function createComposioExecutors(tools: ComposioTools): Executors {
  return {
    find(tool) {
      if (tool.kind === "langchain") return { effect: "read", timeoutMs, run: () => rejectLangchain(tool) };
      if (tool.kind !== "composio") return undefined;
      return {
        effect: "unsafe",
        timeoutMs,
        run: async (args, call) => ({ output: await callAction(tools, tool, args, call) }),
      };
    },
  };
}

async function rejectLangchain({ name }: Tool): Promise<never> {
  throw new ToolFailure(
    `${name} is a tool of LangChain, which this server does not run. Go on without it. ` +
      "Whoever looks after this agent can put a tool with a source of its own in its place.",
  );
}

async function callAction(
  { runtime, access, environment }: ComposioTools,
  tool: Tool,
  args: JsonObject,
  { orgId, userId, agentId, signal }: OutsideCall,
): Promise<JsonValue> {
  const scope = runtime.store.read(orgId);
  const identity = { orgId, userId, toolId: tool.id, toolName: tool.name, agentId, projectId: tool.projectId };
  const config = await findSandboxConfig(scope, "local");
  const { secrets } = await composeEnvironment(runtime, scope, environment, { identity, config, signal });
  const apiKey = secrets.COMPOSIO_API_KEY?.trim() || access.apiKey;
  if (!apiKey) throw missingKey(tool);
  const entity = secrets.COMPOSIO_ENTITY?.trim() || access.entity || defaultEntity;
  const output = await runAction(access, { action: actionOf(tool), args, apiKey, entity, signal });
  return hideInValue(output, createSecretFilter({ ...secrets, COMPOSIO_API_KEY: apiKey }));
}

function missingKey({ name }: Tool): ToolFailure {
  return new ToolFailure(
    `${name} is an action of Composio, and there is no key for it: set COMPOSIO_API_KEY on the server, ` +
      "or give this agent a secret of that name. Nothing was done.",
  );
}
