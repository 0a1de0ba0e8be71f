/** `/v1/steps`: single calls of a model and what they led to. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { fromOrderedPage } from "../messages/list-mapper.ts";
import { toPartWires } from "../messages/part-mapper.ts";
import { MessageWire } from "../messages/schema.ts";
import { fromStepList, toStepMetricsWire, toStepWire } from "./mapper.ts";
import { FeedbackWire, StepListQuery, StepMetricsWire, StepPageQuery, StepParams, StepWire } from "./schema.ts";

const tag = "steps";

export function stepRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/steps/",
      operationId: "list_steps",
      summary: "List steps",
      tag,
      access: "read",
      scope: "none",
      query: StepListQuery,
      response: z.array(StepWire),
      handler: async ({ actor, query }) =>
        (await memoir.steps.list(actor, fromStepList(query))).map((step) => toStepWire(step, actor.orgId)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/steps/{step_id}",
      operationId: "retrieve_step",
      summary: "Retrieve a step",
      tag,
      access: "read",
      scope: "step",
      params: StepParams,
      response: StepWire,
      handler: async ({ actor, params }) => toStepWire(await memoir.steps.get(actor, params.step_id), actor.orgId),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/steps/{step_id}/metrics",
      operationId: "retrieve_metrics_for_step",
      summary: "Retrieve how long a step took",
      tag,
      access: "read",
      scope: "step",
      params: StepParams,
      response: StepMetricsWire,
      handler: async ({ actor, params }) =>
        toStepMetricsWire(await memoir.steps.get(actor, params.step_id), actor.orgId),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/steps/{step_id}/feedback",
      operationId: "modify_feedback_for_step",
      summary: "Say what you think of a step",
      tag,
      access: "member",
      scope: "step",
      params: StepParams,
      body: FeedbackWire,
      scopedFields: { feedback: "free", tags: "free" },
      response: StepWire,
      handler: async ({ actor, params, body }) => {
        const opinion = { feedback: body.feedback ?? null, tags: body.tags };
        return toStepWire(await memoir.steps.rate(actor, params.step_id, opinion), actor.orgId);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/steps/{step_id}/messages",
      operationId: "list_messages_for_step",
      summary: "List the messages of a step",
      tag,
      access: "read",
      scope: "step",
      params: StepParams,
      query: StepPageQuery,
      response: z.array(MessageWire),
      handler: async ({ actor, params, query }) => {
        const page = fromOrderedPage(query);
        const messages = await memoir.messages.listOfStep(actor, params.step_id, { page });
        return (page.from === "newest" ? messages.toReversed() : messages).flatMap(toPartWires);
      },
    }),
  ];
}
