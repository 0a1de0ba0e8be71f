/** The metrics of core, with names and units as in docs/guides/telemetry.md; attributes have low cardinality. */
import type { Counter, Histogram, Meter } from "@opentelemetry/api";

export interface Instruments {
  readonly firstToken: Histogram;
  readonly modelCall: Histogram;
  readonly step: Histogram;
  readonly tool: Histogram;
  readonly messages: Counter;
  readonly toolExecutions: Counter;
  readonly tokens: Counter;
}

/** Histogram buckets in seconds, from builtin tools to replies of ten minutes. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function createInstruments(meter: Meter): Instruments {
  const timed = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: durations } });
  const counted = (name: string, unit: string, description: string) => meter.createCounter(name, { description, unit });
  return {
    firstToken: timed("memoir.model.first_token", "From asking a model to the first piece of its answer"),
    modelCall: timed("memoir.model.duration", "From asking a model to the end of its answer"),
    step: timed("memoir.step.duration", "From asking the model to the commit that closes the step"),
    tool: timed("memoir.tool.duration", "One call of a tool"),
    messages: counted("memoir.messages", "{message}", "Messages accepted for agents"),
    toolExecutions: counted("memoir.tool.executions", "{call}", "Calls of tools that were run"),
    tokens: counted("memoir.tokens", "{token}", "Tokens that models read and wrote, as their providers count"),
  };
}
