/** `/v1/tags`: every tag in use. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { type PageQuery, pageShape, toPage } from "../shared/paging.ts";
import { queryText } from "../shared/query.ts";

interface TagListQuery extends PageQuery {
  name?: string;
  /** Older spelling of `name`. */
  query_text?: string;
}

const TagListQuery: z.ZodType<TagListQuery> = z.object({
  ...pageShape,
  name: queryText,
  query_text: queryText,
});

export function tagRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/tags/",
      operationId: "list_tags",
      summary: "List the tags of agents and blocks",
      tag: "tags",
      access: "read",
      scope: "none",
      query: TagListQuery,
      response: z.array(z.string()),
      handler: ({ actor, query }) =>
        memoir.tags.list(actor, query.name ?? query.query_text, toPage(query, { limit: 50, order: "asc" })),
    }),
  ];
}
