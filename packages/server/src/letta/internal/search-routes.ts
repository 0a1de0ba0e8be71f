/** `/v1/_internal_search`: a hint from clients that a search will follow. The index is in the database and always ready. */
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { optional, WireObject, wireName } from "../shared/fields.ts";

export function internalSearchRoutes(): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/_internal_search/cache-warm",
      operationId: "warm_search_cache",
      summary: "Nothing needs to be warmed: searches are answered from the database",
      tag: "_internal_search",
      access: "admin",
      scope: "none",
      body: z.object({ collection: optional(wireName), scope: optional(WireObject) }),
      isBodyOptional: true,
      status: 202,
      response: z.strictObject({ collection: z.string().nullable(), warmed: z.literal(true) }),
      handler: async ({ body }) => ({ collection: body.collection ?? null, warmed: true as const }),
    }),
  ];
}
