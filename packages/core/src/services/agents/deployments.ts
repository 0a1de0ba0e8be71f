/** Everything that was made together from one template, listed and deleted by the id its maker gave to all of it. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { findAgent } from "../../store/agents/agents.ts";
import { type DeployedEntity, type DeployedKind, deployedKinds, listDeployed } from "../../store/agents/deployments.ts";
import { deleteGroup } from "../../store/agents/groups.ts";
import { deleteBlock, findBlock } from "../../store/blocks/blocks.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { removeAgent } from "./agents.ts";

export interface DeploymentService {
  list(actor: Actor, deploymentId: string, kinds?: readonly DeployedKind[]): Promise<DeployedEntity[]>;
  /** Answers what is gone. */
  delete(actor: Actor, deploymentId: string): Promise<DeployedEntity[]>;
}

export function createDeploymentService(runtime: Runtime): DeploymentService {
  return {
    list: (actor, deploymentId, kinds = deployedKinds) => listDeployed(readScope(runtime, actor), deploymentId, kinds),
    delete: (actor, deploymentId) =>
      write(runtime, actor, async (scope) => {
        const deployed = await listDeployed(scope, deploymentId);
        // Groups first: an agent that manages one cannot go.
        for (const kind of ["group", "agent", "block"] as const) {
          for (const { id } of deployed.filter((entity) => entity.kind === kind)) await remove[kind](scope, id);
        }
        return deployed;
      }),
  };
}

/** An agent may have taken others with it. */
const remove: Readonly<Record<DeployedKind, (scope: Scope, id: string) => Promise<void>>> = {
  group: deleteGroup,
  agent: async (scope, id) => {
    if (await findAgent(scope, id)) await removeAgent(scope, id);
  },
  block: async (scope, id) => {
    if (await findBlock(scope, id)) await deleteBlock(scope, id);
  },
};
