/** What is posted to those who asked to be told of the end of a run or batch. */
import type { ComposeCallback, JsonObject } from "@memoir/core";
import { toMetadata } from "../runs/mapper.ts";
import { toWireTime } from "../shared/time.ts";
import { toSendResponse, type ViewWire, viewOf } from "./mapper.ts";

/** The answer itself is told here and nowhere else: the stored run does not hold it. */
export const composeCallback: ComposeCallback = (ending): JsonObject => {
  if (ending.kind === "batch") {
    const { id, status, completedAt, metadata } = ending.job;
    return { job_id: id, status, completed_at: toWireTime(completedAt), metadata };
  }
  const { result, agentKind } = ending;
  const { run } = result;
  const answer = toSendResponse(result, viewOf(agentKind, run.request.view as ViewWire));
  return {
    run_id: run.id,
    status: run.status,
    completed_at: toWireTime(run.endedAt),
    metadata: { ...toMetadata(run), result: JSON.parse(JSON.stringify(answer)) },
  };
};
