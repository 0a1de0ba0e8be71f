/** Model calls that write summaries are steps of their own, so that steps and usage add up to what providers bill. */
import type { Asked } from "../../model/observe.ts";
import type { Usage } from "../../shared/content.ts";
import type { SummaryUsage } from "../../shared/events.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { insertStep } from "../../store/runs/steps.ts";
import { type StepOwner, stepOf } from "../close-step.ts";
import { addUsage, noUsage } from "../state.ts";

/** The `origin` of their rows, by which clients tell them from the steps of the agent. */
export const summaryOrigin = "compaction";

/** A call that got a reply, also one that could not be used: the provider bills both. */
export interface SummaryCall {
  readonly stepId: string;
  readonly config: ModelConfig;
  readonly usage: Usage;
  readonly modelNs: number;
}

/** Undefined without a reply, because then no usage is known. */
export function toSummaryCall(stepId: string, { request, reply, startedAt, endedAt }: Asked): SummaryCall | undefined {
  if (!reply) return undefined;
  const modelNs = ((endedAt ?? startedAt) - startedAt) * 1e6;
  return { stepId, config: request.config, usage: reply.usage, modelNs };
}

export async function insertSummarySteps(
  scope: Scope,
  { run, agent }: Pick<StepOwner, "run" | "agent">,
  calls: readonly SummaryCall[],
): Promise<void> {
  for (const call of calls) {
    const step = stepOf(scope, { run, agent, model: call.config }, call);
    await insertStep(scope, { ...step, origin: summaryOrigin, status: "success", stopReason: null });
  }
}

/** For the event of the commit that stores their steps. */
export function summariesOf(calls: readonly SummaryCall[]): { readonly summaries?: SummaryUsage } {
  if (calls.length === 0) return {};
  const usage = calls.reduce((sum, call) => addUsage(sum, call.usage), noUsage);
  return { summaries: { calls: calls.length, usage } };
}
