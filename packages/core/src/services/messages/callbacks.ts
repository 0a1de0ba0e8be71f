/** What is told to those who asked to be told of the end of a run or batch. */
import { createWebhookSender, type WebhookSender } from "../../jobs/webhook-sender.ts";
import { type Runtime, readScope } from "../../runtime.ts";
import type { AgentKind } from "../../shared/agent-kinds.ts";
import { isMemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { getJob, type Job } from "../../store/runs/jobs.ts";
import type { OutboxItem } from "../../store/runs/outbox.ts";
import { getRun } from "../../store/runs/runs.ts";
import { settleBatches } from "./batches.ts";
import type { MessageService, RunResult } from "./messages.ts";

/** What was ended. */
export type Ending =
  | { readonly kind: "run"; readonly result: RunResult; readonly agentKind: AgentKind }
  | { readonly kind: "batch"; readonly job: Job };

/** The body of the request that tells it. */
export type ComposeCallback = (ending: Ending) => JsonObject;

/** Where nobody says how to put it. */
const plainBody: ComposeCallback = (ending): JsonObject => {
  if (ending.kind === "batch") return { batch: ending.job.id, status: ending.job.status };
  const { run, reason } = ending.result;
  return { run: run.id, status: run.status, reason };
};

export interface CallbackOptions {
  readonly composeCallback?: ComposeCallback | undefined;
  readonly allowedHosts: readonly string[];
}

/** `messages` are asked for when something is sent, as they need the courier themselves. */
export function createCallbacks(
  runtime: Runtime,
  options: CallbackOptions,
  messages: () => MessageService,
): WebhookSender {
  const { composeCallback = plainBody, allowedHosts } = options;
  const { store, log } = runtime;
  const compose = async (orgId: string, { kind, payload }: OutboxItem): Promise<JsonObject | "later" | undefined> => {
    const actor = { orgId, userId: "" };
    const scope = readScope(runtime, actor);
    try {
      if (kind === "batch") {
        await settleBatches(runtime, actor);
        const job = await getJob(scope, payload.id);
        return job.completedAt === null ? "later" : composeCallback({ kind, job });
      }
      const run = await getRun(scope, payload.id);
      const { kind: agentKind } = await getAgent(scope, run.agentId);
      const result = await messages().complete(actor, run.id);
      return composeCallback({ kind, result: { ...result, run }, agentKind });
    } catch (error) {
      // Deleted meanwhile: there is nothing to tell.
      if (isMemoirError(error, "not-found")) return undefined;
      throw error;
    }
  };
  return createWebhookSender({ store, log, allowedHosts, compose });
}
