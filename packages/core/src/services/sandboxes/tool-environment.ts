/** What tools with a source find in their environment, later names winning: organization, credentials, agent, call. */
import { createHash } from "node:crypto";
import type { Runtime } from "../../runtime.ts";
import type { JsonValue } from "../../shared/json.ts";
import { listSecrets } from "../../store/access/secrets.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findSandboxConfig, type SandboxConfig } from "../../store/tools/sandbox-configs.ts";
import { secretPlace } from "../secrets/secret-scope.ts";

export type Variables = Readonly<Record<string, string>>;

/** Who a tool is, whose, and for whom it runs. */
export interface ToolIdentity {
  readonly orgId: string;
  readonly userId: string | null;
  readonly toolId: string | undefined;
  readonly toolName: string;
  readonly agentId: string | undefined;
  readonly projectId: string | null;
}

export interface EnvironmentOptions {
  /** Names by which tools know themselves and their agent; they win over all others. */
  readonly nameTool?: (identity: ToolIdentity) => Variables;
  /** Asked before each call, for credentials that are kept elsewhere. */
  readonly fetchCredentials?: (identity: ToolIdentity, signal?: AbortSignal) => Promise<Variables>;
}

export interface GivenVariables {
  readonly identity: ToolIdentity;
  /** The organization's settings, whose variables are the first. */
  readonly config: SandboxConfig | undefined;
  /** In place of the agent's secrets where there is no agent; over them where there is one. */
  readonly extra?: Variables;
  readonly signal?: AbortSignal;
}

export interface ToolEnvironment {
  readonly variables: Variables;
  /** Those among them that nobody is to see. */
  readonly secrets: Variables;
}

export async function composeEnvironment(
  runtime: Runtime,
  scope: Scope,
  { nameTool, fetchCredentials }: EnvironmentOptions,
  { identity, config, extra, signal }: GivenVariables,
): Promise<ToolEnvironment> {
  const owners = [config?.id, identity.agentId].filter((id) => id !== undefined);
  const secrets = await listSecrets(scope, owners);
  const variablesOf = (ownerId: string | undefined): Variables =>
    Object.fromEntries(
      secrets
        .filter((secret) => secret.ownerId === ownerId)
        .map((secret) => [secret.name, runtime.vault.decrypt(secret, secretPlace(scope, secret.ownerId, secret.name))]),
    );
  const hidden = {
    ...variablesOf(config?.id),
    ...(await fetchCredentials?.(identity, signal)),
    ...variablesOf(identity.agentId),
  };
  const all = { ...hidden, ...extra, ...nameTool?.(identity) };
  const variables = Object.fromEntries(Object.entries(all).filter(([name]) => isVariableName(name)));
  return { variables, secrets: hidden };
}

/** What no system takes as a variable is left out. */
function isVariableName(name: string): boolean {
  return name !== "" && !/[=\0]/.test(name);
}

/** Names the settings a tool ran under, as a decimal number. */
export async function readFingerprint(scope: Scope): Promise<string> {
  const { settings = {} } = (await findSandboxConfig(scope, "local")) ?? {};
  const named = { config: sortKeys(settings), organization_id: scope.orgId, type: "local" };
  return BigInt(`0x${createHash("sha256").update(JSON.stringify(named)).digest("hex")}`).toString();
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}
