/**
 * The span of one attempt of a tool call; calls that the tool makes to Memoir, such as a message to another agent, are
 * its children.
 */
import { context, type Tracer, trace } from "@opentelemetry/api";
import type { Instruments } from "./instruments.ts";
import { codeOf, errorLabel, noteError } from "./span-errors.ts";
import type { ToolFacts } from "./telemetry.ts";

export async function runInSpan<R>(
  tracer: Tracer,
  instruments: Instruments,
  tool: ToolFacts,
  callId: string,
  work: () => Promise<R>,
  hasFailed: (outcome: R) => boolean = () => false,
): Promise<R> {
  const labels = { "gen_ai.tool.name": tool.name, "memoir.tool.kind": tool.kind };
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": callId, ...labels };
  const parent = context.active();
  const span = tracer.startSpan(`execute_tool ${tool.name}`, { attributes }, parent);
  const place = trace.setSpan(parent, span);
  const startedAt = performance.now();
  let failure: string | undefined;
  try {
    const outcome = await context.with(place, work);
    if (hasFailed(outcome)) failure = "tool-failed";
    return outcome;
  } catch (error) {
    failure = codeOf(error);
    throw error;
  } finally {
    noteError(span, failure);
    span.end();
    const said = { ...labels, ...errorLabel(failure) };
    instruments.tool.record((performance.now() - startedAt) / 1000, said, place);
    instruments.toolExecutions.add(1, said, place);
  }
}
