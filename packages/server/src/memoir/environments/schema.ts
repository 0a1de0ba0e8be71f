/** What tools require, on the wire. */
import { z } from "zod";
import { idSchema } from "../../letta/shared/ids.ts";

const statuses = ["none", "absent", "waiting", "building", "ready", "failed"] as const;

export interface ToolEnvironmentWire {
  tool_id: string;
  sandbox: string;
  status: (typeof statuses)[number];
  packages: string[];
  progress: string | null;
  error: string | null;
  log: string[];
  bytes: number | null;
  started_at: string | null;
  finished_at: string | null;
}

export const ToolEnvironmentWire: z.ZodType<ToolEnvironmentWire> = z
  .strictObject({
    tool_id: z.string(),
    sandbox: z.string(),
    status: z.enum(statuses),
    packages: z.array(z.string()),
    progress: z.string().nullable(),
    error: z.string().nullable(),
    log: z.array(z.string()),
    bytes: z.int().nullable(),
    started_at: z.string().nullable(),
    finished_at: z.string().nullable(),
  })
  .meta({ id: "MemoirToolEnvironment" });

export const ToolEnvironmentParams = z.object({ tool_id: idSchema("tool") });
