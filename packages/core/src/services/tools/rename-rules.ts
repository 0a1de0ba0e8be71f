/** Renames a tool in the rules and permissions of every agent that holds it. */
import { renameInPermissions } from "../../shared/tool-permissions.ts";
import { lockAgent, updateAgent } from "../../store/agents/agents.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { listHolders } from "../../store/tools/tools.ts";
import { renameTool } from "../../tools/rules.ts";

/** Rules and permissions survive a rename, approval rules above all. */
export async function renameRules(scope: Scope, toolId: string, from: string, to: string): Promise<void> {
  for (const agentId of await listHolders(scope, toolId)) {
    const { toolRules, toolPermissions } = await lockAgent(scope, agentId);
    await updateAgent(scope, agentId, {
      toolRules: toolRules.map((rule) => renameTool(rule, from, to)),
      toolPermissions: toolPermissions && renameInPermissions(toolPermissions, from, to),
    });
  }
}
