/** The document at `/openapi.json`, made from the route table. */
import { version } from "@memoir/core";
import { z } from "zod";
import type { Route } from "./route.ts";

type Json = Record<string, unknown>;

export function createOpenApi(routes: readonly Route[]): Json {
  const schemas: Record<string, Json> = {};
  const toSchema = createConverter(schemas);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route, toSchema) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Memoir",
      version,
      description:
        "Agents that write their own memory. Compatible with the Letta V1 API; our own operations are under /v1/memoir/.",
    },
    paths,
    components: { schemas, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    security: [{}, { bearer: [] }],
  };
}

type Converter = (schema: z.ZodType, io: "input" | "output") => Json;

/** Schemas with a name are put into `named` once and referred to; anything else stands in place. */
function createConverter(named: Record<string, Json>): Converter {
  return (schema, io) => {
    // Zod moves every named schema into $defs, the outermost too, and leaves a reference.
    const converted = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" }) as Json;
    const {
      $schema: _,
      $defs = {},
      ...body
    } = JSON.parse(JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json & {
      $defs?: Record<string, Json>;
    };
    Object.assign(named, $defs);
    return body;
  };
}

function describeRoute(route: Route, toSchema: Converter): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    ...(route.isDeprecated ? { deprecated: true } : {}),
    parameters: [
      ...describeParameters(route.params, "path", toSchema),
      ...describeParameters(route.query, "query", toSchema),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !route.isBodyOptional,
            content: {
              [route.isForm ? "multipart/form-data" : "application/json"]: { schema: toSchema(route.body, "input") },
            },
          },
        }
      : {}),
    responses: {
      [String(route.status ?? 200)]: {
        description: "Done",
        ...(route.status === 204
          ? {}
          : { content: { "application/json": { schema: toSchema(route.response, "output") } } }),
      },
      "4XX": { description: "Refused", content: { "application/json": { schema: errorSchema } } },
    },
  };
}

const errorSchema = { type: "object", properties: { detail: {} }, required: ["detail"] };

function describeParameters(schema: z.ZodType | undefined, place: "path" | "query", toSchema: Converter): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, "output") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}
