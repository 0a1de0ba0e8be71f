/** `/v1/memoir/agents/{agent_id}/repair`: what `memoir doctor AGENT` does, on a server that runs. */
import type { Memoir } from "@memoir/core";
import { AgentParams } from "../../letta/agents/schema.ts";
import { defineRoute, type Route } from "../../route.ts";
import { toRepairReportWire } from "./mapper.ts";
import { RepairReportWire, RepairWire } from "./schema.ts";

export function repairRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/memoir/agents/{agent_id}/repair",
      operationId: "memoir_repair_agent",
      summary: "Find what is wrong with an agent's conversations and runs; with dry_run false, mend it",
      tag: "memoir",
      access: "member",
      scope: "none",
      params: AgentParams,
      body: RepairWire,
      isBodyOptional: true,
      response: RepairReportWire,
      handler: async ({ actor, params, body }) => {
        const isDryRun = body.dry_run ?? true;
        const { examine, fix } = memoir.repair;
        const report = await (isDryRun ? examine(actor, params.agent_id) : fix(actor, params.agent_id));
        return toRepairReportWire(report, isDryRun);
      },
    }),
  ];
}
