/** `/v1/runs`: the work that messages cause. */
import type { Memoir, RunListRequest } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route, type RouteInput } from "../../route.ts";
import { fromOrderedPage } from "../messages/list-mapper.ts";
import { toMessageWires, type ViewWire, viewOf } from "../messages/mapper.ts";
import { MessageWire } from "../messages/schema.ts";
import { answerWithStream } from "../messages/send.ts";
import { Nothing, WireObject } from "../shared/fields.ts";
import { toPage } from "../shared/paging.ts";
import { toStepWire } from "../steps/mapper.ts";
import { StepWire } from "../steps/schema.ts";
import { rejectUnkept } from "./kept.ts";
import {
  checkRunId,
  fromActiveRuns,
  fromInternalRunList,
  fromRunList,
  toRunMetricsWire,
  toRunUsageWire,
  toRunWire,
} from "./mapper.ts";
import {
  ActiveRunQuery,
  InternalRunListQuery,
  RetrieveStreamWire,
  RunListQuery,
  RunMetricsWire,
  RunPageQuery,
  RunParams,
  RunUsageWire,
  RunWire,
} from "./schema.ts";
import { streamFields } from "./scoped-fields.ts";

const tag = "runs";

export function runRoutes(memoir: Memoir): Route[] {
  return [...listRoutes(memoir), ...oneRunRoutes(memoir), ...workRoutes(memoir)];
}

function listRoutes(memoir: Memoir): Route[] {
  const list = async ({ actor }: Pick<RouteInput<unknown, unknown, unknown>, "actor">, request: RunListRequest) =>
    (await memoir.runs.list(actor, request)).map(toRunWire);
  return [
    defineRoute({
      method: "GET",
      path: "/v1/runs/",
      operationId: "list_runs",
      summary: "List runs",
      tag,
      access: "read",
      scope: "none",
      query: RunListQuery,
      response: z.array(RunWire),
      handler: (input) => list(input, fromRunList(input.query)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/runs/active",
      operationId: "list_active_runs",
      summary: "List runs that are under way or wait",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      query: ActiveRunQuery,
      response: z.array(RunWire),
      handler: (input) => list(input, fromActiveRuns(input.query)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/_internal_runs/",
      operationId: "list_internal_runs",
      summary: "List runs by what was done in them, too",
      tag: "_internal_runs",
      access: "admin",
      scope: "none",
      query: InternalRunListQuery,
      response: z.array(RunWire),
      handler: (input) => list(input, fromInternalRunList(input.query)),
    }),
  ];
}

function oneRunRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/runs/{run_id}",
      operationId: "retrieve_run",
      summary: "Retrieve a run",
      tag,
      access: "read",
      scope: "run",
      params: RunParams,
      response: RunWire,
      handler: async ({ actor, params }) => toRunWire(await memoir.runs.view(actor, checkRunId(params.run_id))),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/runs/{run_id}",
      operationId: "delete_run",
      summary: "Delete a run with its steps and messages",
      tag,
      access: "member",
      scope: "run",
      params: RunParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        await memoir.runs.delete(actor, checkRunId(params.run_id));
        return null;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/runs/{run_id}/stream",
      operationId: "retrieve_stream_for_run",
      summary: "Follow a run as a stream of events",
      tag,
      access: "member",
      scope: "run",
      params: RunParams,
      body: RetrieveStreamWire,
      scopedFields: streamFields,
      isBodyOptional: true,
      response: WireObject,
      handler: async ({ actor, params, body, reply }) => {
        const run = await memoir.runs.get(actor, checkRunId(params.run_id));
        rejectUnkept(run);
        const kind = await memoir.agents.getKind(actor, run.agentId);
        const wish = { after: body.starting_after, hasPings: body.include_pings ?? undefined };
        return await answerWithStream(memoir, actor, run, kind, reply, wish);
      },
    }),
  ];
}

function workRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/runs/{run_id}/messages",
      operationId: "list_messages_for_run",
      summary: "List the input of a run and what came of it",
      tag,
      access: "read",
      scope: "run",
      params: RunParams,
      query: RunPageQuery,
      response: z.array(MessageWire),
      handler: async ({ actor, params, query }) => {
        const run = await memoir.runs.get(actor, checkRunId(params.run_id));
        const page = fromOrderedPage(query);
        const messages = await memoir.messages.listOfRun(actor, run.id, { page });
        const view = viewOf(await memoir.agents.getKind(actor, run.agentId), run.request.view as ViewWire);
        const items = toMessageWires(messages, view);
        return page.from === "newest" ? items.toReversed() : items;
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/runs/{run_id}/usage",
      operationId: "retrieve_usage_for_run",
      summary: "Sum the tokens of all steps of a run",
      tag,
      access: "read",
      scope: "run",
      params: RunParams,
      response: RunUsageWire,
      handler: async ({ actor, params }) => toRunUsageWire(await memoir.runs.usage(actor, checkRunId(params.run_id))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/runs/{run_id}/metrics",
      operationId: "retrieve_metrics_for_run",
      summary: "Retrieve how long a run took, its number of steps and the tools it called",
      tag,
      access: "read",
      scope: "run",
      params: RunParams,
      response: RunMetricsWire,
      handler: async ({ actor, params }) =>
        toRunMetricsWire(await memoir.runs.metrics(actor, checkRunId(params.run_id)), actor.orgId),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/runs/{run_id}/steps",
      operationId: "list_steps_for_run",
      summary: "List the steps of a run",
      tag,
      access: "read",
      scope: "run",
      params: RunParams,
      query: RunPageQuery,
      response: z.array(StepWire),
      handler: async ({ actor, params, query }) => {
        const page = toPage(query, { limit: 100, order: "desc" });
        const steps = await memoir.runs.steps(actor, checkRunId(params.run_id), page);
        return steps.map((step) => toStepWire(step, actor.orgId));
      },
    }),
  ];
}
