/** `/v1/jobs`: work outside a conversation. Runs of messages are not among them. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toPage } from "../shared/paging.ts";
import { fromJobFilter, toJobWire } from "./mapper.ts";
import { JobListQuery, JobOrFileParams, JobParams, JobWire } from "./schema.ts";

const tag = "jobs";

export function jobRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/jobs/",
      operationId: "list_jobs",
      summary: "List jobs",
      tag,
      access: "read",
      scope: "none",
      query: JobListQuery,
      response: z.array(JobWire),
      handler: async ({ actor, query }) => {
        const page = toPage(query, { limit: 100, order: "desc" });
        return (await memoir.jobs.list(actor, fromJobFilter(query), page)).map(toJobWire);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/jobs/active",
      operationId: "list_active_jobs",
      summary: "List jobs that are not done",
      tag,
      access: "read",
      scope: "none",
      isDeprecated: true,
      query: JobListQuery,
      response: z.array(JobWire),
      handler: async ({ actor, query }) => {
        const page = toPage(query, { limit: 50, order: "asc" });
        return (await memoir.jobs.list(actor, fromJobFilter({ ...query, active: true }), page)).map(toJobWire);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/jobs/{job_id}",
      operationId: "retrieve_job",
      summary: "Retrieve a job, or how far the reading of a file is",
      tag,
      access: "read",
      scope: "none",
      params: JobOrFileParams,
      response: JobWire,
      handler: async ({ actor, params }) => toJobWire(await memoir.jobs.get(actor, params.job_id)),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/jobs/{job_id}",
      operationId: "delete_job",
      summary: "Delete a job; what it has done stays done",
      tag,
      access: "member",
      scope: "none",
      params: JobParams,
      response: JobWire,
      handler: async ({ actor, params }) => toJobWire(await memoir.jobs.delete(actor, params.job_id)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/jobs/{job_id}/cancel",
      operationId: "cancel_job",
      summary: "Cancel a job; one that is done stays so",
      tag,
      access: "member",
      scope: "none",
      params: JobParams,
      response: JobWire,
      handler: async ({ actor, params }) => toJobWire(await memoir.jobs.cancel(actor, params.job_id)),
    }),
  ];
}
