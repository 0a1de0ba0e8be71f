/** What tools written for the old server find around them: names of variables, the shape of their agent. */
import type { CustomToolOptions, JsonObject, Log, ToolIdentity } from "@memoir/core";
import type { Environment, ServerConfig } from "../../config/settings.ts";
import { toAgentWire } from "../agents/mapper.ts";

/** Where credentials are kept that tools get, and what opens it. */
export interface CredentialSource {
  readonly endpoint: string;
  readonly key: string | undefined;
  readonly log: Log;
}

const credentialsTimeoutMs = 10_000;

/** `STEP_ORCHESTRATOR_ENDPOINT` and `STEP_COMPLETE_KEY` are variables of the old server. */
export function readToolEnvironment(
  { toolTimeout }: Pick<ServerConfig, "toolTimeout">,
  { STEP_ORCHESTRATOR_ENDPOINT, STEP_COMPLETE_KEY }: Environment,
  log: Log,
): CustomToolOptions {
  const endpoint = STEP_ORCHESTRATOR_ENDPOINT?.trim();
  const timeoutMs = toolTimeout === undefined ? undefined : toolTimeout * 1_000;
  return createToolEnvironment(timeoutMs, endpoint ? { endpoint, key: STEP_COMPLETE_KEY?.trim(), log } : undefined);
}

export function createToolEnvironment(timeoutMs?: number, credentials?: CredentialSource): CustomToolOptions {
  return {
    timeoutMs,
    nameTool: ({ toolId, agentId, projectId }) => ({
      ...(toolId === undefined ? {} : { LETTA_TOOL_ID: toolId }),
      ...(agentId === undefined ? {} : { LETTA_AGENT_ID: agentId }),
      ...(projectId === null ? {} : { LETTA_PROJECT_ID: projectId, PROJECT_ID: projectId }),
    }),
    composeAgentState: (view, orgId) =>
      JSON.parse(JSON.stringify(toAgentWire(view, { orgId, userId: view.agent.createdBy ?? "" }))) as JsonObject,
    ...(credentials ? { fetchCredentials: (identity, signal) => fetchCredentials(credentials, identity, signal) } : {}),
  };
}

/** Without an answer a tool runs without them: whoever keeps credentials must not be able to stop every tool. */
async function fetchCredentials(
  { endpoint, key, log }: CredentialSource,
  { userId, orgId, toolName, agentId }: ToolIdentity,
  signal?: AbortSignal,
): Promise<Record<string, string>> {
  const late = AbortSignal.timeout(credentialsTimeoutMs);
  const goWithout = (error: string) => {
    log.warn({ error, tool: toolName }, "STEP_ORCHESTRATOR_ENDPOINT gave no credentials: the tool runs without them");
    return {};
  };
  try {
    const answer = await fetch(`${endpoint.replace(/\/$/, "")}/webhook/sandbox-credentials`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ user_id: userId, organization_id: orgId, tool_name: toolName, agent_id: agentId }),
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    return answer.ok ? readVariables(await answer.json()) : goWithout(`it answered ${answer.status}`);
  } catch (error) {
    if (signal?.aborted) throw error;
    return goWithout(describe(error));
  }
}

/** What the network says. Other texts quote what cannot be read, a key or an answer with credentials. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return "it could not be asked";
  if (error instanceof SyntaxError) return "its answer is not JSON";
  return error.cause instanceof Error ? error.cause.message : error.name;
}

function readVariables(answer: unknown): Record<string, string> {
  if (typeof answer !== "object" || answer === null) return {};
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => typeof value === "string"));
}
