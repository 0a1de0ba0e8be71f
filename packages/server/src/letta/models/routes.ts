/** `/v1/models`: what an agent can be given to think and to embed with. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { fromModelFilter, toEmbeddingModelWire, toModelWire } from "./list-mapper.ts";
import { EmbeddingModelWire, ModelListQuery, ModelWire } from "./list-schema.ts";

const tag = "models";

export function modelRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/models/",
      operationId: "list_models",
      summary: "List the models of every provider at hand",
      tag,
      access: "read",
      scope: "none",
      query: ModelListQuery,
      response: z.array(ModelWire),
      handler: async ({ actor, query }) => (await memoir.models.list(actor, fromModelFilter(query))).map(toModelWire),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/models/embedding",
      operationId: "list_embedding_models",
      summary: "List the embedding models of every provider at hand",
      tag,
      access: "read",
      scope: "none",
      response: z.array(EmbeddingModelWire),
      handler: async ({ actor }) => (await memoir.models.listEmbeddings(actor)).map(toEmbeddingModelWire),
    }),
  ];
}
