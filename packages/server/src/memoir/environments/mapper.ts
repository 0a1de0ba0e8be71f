/** What tools require, from core to wire. */
import type { ToolEnvironment } from "@memoir/core";
import { toWireTime } from "../../letta/shared/time.ts";
import type { ToolEnvironmentWire } from "./schema.ts";

export function toToolEnvironmentWire(environment: ToolEnvironment): ToolEnvironmentWire {
  const { startedAt, finishedAt } = environment;
  return {
    tool_id: environment.toolId,
    sandbox: environment.sandbox,
    status: environment.status,
    packages: [...environment.packages],
    progress: environment.progress,
    error: environment.error,
    log: [...environment.lines],
    bytes: environment.bytes,
    started_at: startedAt === null ? null : toWireTime(startedAt),
    finished_at: finishedAt === null ? null : toWireTime(finishedAt),
  };
}
