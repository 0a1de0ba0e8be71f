/** `/v1/memoir/steps/…`: what a model saw in a step, to the byte, and how two steps differ. */
import type { Memoir } from "@memoir/core";
import { TraceStepParams } from "../../letta/traces/schema.ts";
import { defineRoute, type Route } from "../../route.ts";
import { toStepDiffWire, toStepRequestWire, toTraceWire } from "./mapper.ts";
import { StepDiffQuery, StepDiffWire, StepRequestWire, StepTracesWire } from "./schema.ts";

const tag = "memoir";

export function stepTraceRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/memoir/steps/{step_id}/request",
      operationId: "memoir_retrieve_step_request",
      summary: "Retrieve what the model saw in a step, rebuilt from what is stored, beside the body that was kept",
      tag,
      access: "read",
      scope: "none",
      params: TraceStepParams,
      response: StepRequestWire,
      handler: async ({ actor, params }) => {
        const request = await memoir.traces.rebuild(actor, params.step_id);
        return toStepRequestWire(request, await memoir.traces.getOfStep(actor, params.step_id));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/steps/{step_id}/trace",
      operationId: "memoir_list_step_traces",
      summary: "List every call to a provider that a step made: each try, and those that made room for it",
      tag,
      access: "read",
      scope: "none",
      params: TraceStepParams,
      response: StepTracesWire,
      handler: async ({ actor, params }) => ({
        step_id: params.step_id,
        traces: (await memoir.traces.listOfStep(actor, params.step_id)).map(toTraceWire),
      }),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/steps/{step_id}/diff",
      operationId: "memoir_diff_steps",
      summary: "Compare what the model saw in a step with what it saw in another",
      tag,
      access: "read",
      scope: "none",
      params: TraceStepParams,
      query: StepDiffQuery,
      response: StepDiffWire,
      handler: async ({ actor, params, query }) =>
        toStepDiffWire(await memoir.traces.diff(actor, params.step_id, query.with)),
    }),
  ];
}
