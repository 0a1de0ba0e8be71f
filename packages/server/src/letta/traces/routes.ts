/** What went to a provider and came back, by step and by run. */
import { type Actor, isMemoirError, type Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { WireObject } from "../shared/fields.ts";
import { toProviderTraceWire, toSpanWire } from "./mapper.ts";
import { ProviderTraceWire, RunTraceQuery, TelemetryParams, TraceRunParams, TraceStepParams } from "./schema.ts";

export function traceRoutes(memoir: Memoir): Route[] {
  /** Clients know an absent trace as null, whether or not there is such a step. */
  const find = async (actor: Actor, stepId: string): Promise<ProviderTraceWire | null> => {
    try {
      const trace = await memoir.traces.getOfStep(actor, stepId);
      return trace && toProviderTraceWire(trace, actor.orgId);
    } catch (error) {
      if (isMemoirError(error, "not-found")) return null;
      throw error;
    }
  };
  return [
    defineRoute({
      method: "GET",
      path: "/v1/steps/{step_id}/trace",
      operationId: "retrieve_trace_for_step",
      summary: "Retrieve what a step sent to its provider, and what came back",
      tag: "steps",
      access: "read",
      scope: "step",
      params: TraceStepParams,
      response: ProviderTraceWire.nullable(),
      handler: ({ actor, params }) => find(actor, params.step_id),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/telemetry/{step_id}",
      operationId: "retrieve_provider_trace",
      summary: "Retrieve what a step sent to its provider, and what came back",
      tag: "telemetry",
      access: "read",
      scope: "none",
      isDeprecated: true,
      params: TelemetryParams,
      response: ProviderTraceWire.nullable(),
      handler: ({ actor, params }) => find(actor, params.step_id),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/runs/{run_id}/trace",
      operationId: "retrieve_trace_for_run",
      summary: "List the calls to providers that a run made, in order",
      tag: "runs",
      access: "read",
      scope: "run",
      params: TraceRunParams,
      query: RunTraceQuery,
      response: z.array(WireObject),
      handler: async ({ actor, params, query }) =>
        (await memoir.traces.listOfRun(actor, params.run_id, query.limit ?? 1000)).map(toSpanWire),
    }),
  ];
}
