/** Repairs of agents on the wire. */
import { z } from "zod";
import { optional } from "../../letta/shared/fields.ts";

export interface RepairFindingWire {
  kind: string;
  conversation_id: string | null;
  message_id: string | null;
  run_id: string | null;
  tool_call_ids: string[];
  problem: string;
  remedy: string;
}

const RepairFindingWire: z.ZodType<RepairFindingWire> = z
  .strictObject({
    kind: z.string(),
    conversation_id: z.string().nullable(),
    message_id: z.string().nullable(),
    run_id: z.string().nullable(),
    tool_call_ids: z.array(z.string()),
    problem: z.string(),
    remedy: z.string(),
  })
  .meta({ id: "MemoirRepairFinding" });

export interface RepairReportWire {
  agent_id: string;
  agent_name: string;
  dry_run: boolean;
  fixed: boolean;
  findings: RepairFindingWire[];
  remaining: RepairFindingWire[];
}

export const RepairReportWire: z.ZodType<RepairReportWire> = z
  .strictObject({
    agent_id: z.string(),
    agent_name: z.string(),
    dry_run: z.boolean(),
    fixed: z.boolean(),
    findings: z.array(RepairFindingWire),
    remaining: z.array(RepairFindingWire),
  })
  .meta({ id: "MemoirRepairReport" });

export interface RepairWire {
  dry_run?: boolean;
}

export const RepairWire: z.ZodType<RepairWire> = z
  .object({ dry_run: optional(z.boolean()) })
  .meta({ id: "MemoirRepair" });
