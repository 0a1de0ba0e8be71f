/** The name under which an outside program knows a step. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { wireName } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { toStepWire } from "../steps/mapper.ts";
import { StepWire } from "../steps/schema.ts";

export function stepTransactionRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "PATCH",
      path: "/v1/steps/{step_id}/transaction/{transaction_id}",
      operationId: "update_step_transaction_id",
      summary: "Note under which name an outside program knows a step",
      tag: "steps",
      access: "member",
      scope: "step",
      params: z.object({ step_id: idSchema("step"), transaction_id: wireName }),
      response: StepWire,
      handler: async ({ actor, params }) =>
        toStepWire(await memoir.steps.setTransaction(actor, params.step_id, params.transaction_id), actor.orgId),
    }),
  ];
}
