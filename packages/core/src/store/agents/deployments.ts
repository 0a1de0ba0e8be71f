/** Entities created together from one template, found by their deployment id. */
import type { Scope } from "../engine/scope.ts";

export const deployedKinds = ["agent", "block", "group"] as const;

export type DeployedKind = (typeof deployedKinds)[number];

export interface DeployedEntity {
  readonly kind: DeployedKind;
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly entityId: string | null;
  readonly projectId: string | null;
}

/** Oldest first within each kind. */
export async function listDeployed(
  scope: Scope,
  deploymentId: string,
  kinds: readonly DeployedKind[] = deployedKinds,
): Promise<DeployedEntity[]> {
  const found: DeployedEntity[] = [];
  if (kinds.includes("block")) found.push(...(await listBlocks(scope, deploymentId)));
  if (kinds.includes("agent")) found.push(...(await listAgents(scope, deploymentId)));
  if (kinds.includes("group")) found.push(...(await listGroups(scope, deploymentId)));
  return found;
}

async function listBlocks(scope: Scope, deploymentId: string): Promise<DeployedEntity[]> {
  const rows = await scope
    .select("block")
    .select(["id", "template_name", "label", "description", "entity_id as entityId", "project_id as projectId"])
    .where("deployment_id", "=", deploymentId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(({ template_name, label, ...row }) => ({ ...row, kind: "block", name: template_name ?? label }));
}

async function listAgents(scope: Scope, deploymentId: string): Promise<DeployedEntity[]> {
  const rows = await scope
    .select("agent")
    .select(["id", "name", "description", "entity_id as entityId", "project_id as projectId"])
    .where("deployment_id", "=", deploymentId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, kind: "agent" }));
}

async function listGroups(scope: Scope, deploymentId: string): Promise<DeployedEntity[]> {
  const rows = await scope
    .select("group")
    .select(["id", "description", "project_id as projectId"])
    .where("deployment_id", "=", deploymentId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, kind: "group", name: null, entityId: null }));
}
