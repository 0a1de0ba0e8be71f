/** Repairs of agents between core and wire. */
import type { RepairFinding, RepairReport } from "@memoir/core";
import type { RepairFindingWire, RepairReportWire } from "./schema.ts";

function toFindingWire(finding: RepairFinding): RepairFindingWire {
  return {
    kind: finding.kind,
    conversation_id: finding.conversationId,
    message_id: finding.messageId,
    run_id: finding.runId,
    tool_call_ids: [...finding.callIds],
    problem: finding.problem,
    remedy: finding.remedy,
  };
}

export function toRepairReportWire(report: RepairReport, isDryRun: boolean): RepairReportWire {
  return {
    agent_id: report.agentId,
    agent_name: report.agentName,
    dry_run: isDryRun,
    fixed: report.isFixed,
    findings: report.findings.map(toFindingWire),
    remaining: report.remaining.map(toFindingWire),
  };
}
