import { Memoir } from "@memoir/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseJsonBody } from "./body.ts";
import { SendMessageWire } from "./letta/messages/schema.ts";
import { maxBodyBytes, maxItems, maxJsonKeys, maxJsonValues } from "./limits.ts";
import { createOpenApi } from "./openapi.ts";
import { listRoutes } from "./route-list.ts";
import { type SchemaNode, walkSchema } from "./testing/request-schemas.ts";
import { parseInput } from "./validation.ts";
import { ValidationError } from "./validation-error.ts";

const routes = listRoutes({ memoir: new Memoir({ database: ":memory:" }), findProviders: async () => [] });

function listNodes(...types: string[]): SchemaNode[] {
  const found: SchemaNode[] = [];
  for (const route of routes) {
    for (const part of ["params", "query", "body"] as const) {
      const schema = route[part];
      if (!schema) continue;
      walkSchema(schema, `${route.method} ${route.path} ${part}`, (node) => {
        if (types.includes(node.schema._zod.def.type)) found.push(node);
      });
    }
  }
  return found;
}

function maxOf({ schema }: SchemaNode): number | undefined {
  const checks = (schema._zod.def.checks ?? []).map((check) => check._zod.def as z.core.$ZodCheckMaxLengthDef);
  return checks.find(({ check }) => check === "max_length")?.maximum;
}

const fits = ({ outer }: SchemaNode, value: unknown) => z.safeParse(outer, value).success;
const places = (nodes: SchemaNode[]) => [...new Set(nodes.map(({ place }) => place))];

/** A list of so many items, none of which can be looked at. */
function unreadable(length: number): unknown[] {
  return new Proxy(new Array<unknown>(length), {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) throw new Error("an item was read");
      return Reflect.get(target, name);
    },
  });
}

function recordsOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof ValidationError) return error.records;
    throw error;
  }
  throw new Error("was accepted");
}

describe("everything that can be sent has a limit", () => {
  test("every text, none above that of a body", () => {
    const texts = listNodes("string");
    expect(texts.length).toBeGreaterThan(500);
    expect(places(texts.filter((node) => !((maxOf(node) ?? Number.POSITIVE_INFINITY) <= maxBodyBytes)))).toEqual([]);
  });

  test("every list, checked before its items are read", () => {
    const lists = listNodes("array");
    expect(lists.length).toBeGreaterThan(100);
    expect(places(lists.filter((node) => maxOf(node) === undefined))).toEqual([]);
    expect(places(lists.filter((node) => fits(node, unreadable((maxOf(node) ?? 0) + 1))))).toEqual([]);
  });

  test("every record and everything that may hold any JSON", () => {
    const free = listNodes("record");
    expect(free.length).toBeGreaterThan(50);
    const wide = Object.fromEntries(Array.from({ length: maxJsonKeys + 1 }, (_, index) => [`k${index}`, "v"]));
    expect(places(free.filter((node) => fits(node, wide)))).toEqual([]);
    const values = { a: new Array(maxJsonValues + 1).fill(0) };
    expect(places(free.filter((node) => fits(node, values)))).toEqual([]);
    const openObjects = listNodes("object").filter(({ schema }) => {
      const { catchall } = schema._zod.def as z.core.$ZodObjectDef;
      return catchall !== undefined && catchall._zod.def.type !== "never";
    });
    expect(places(openObjects.filter((node) => fits(node, { role: "user", ...wide })))).toEqual([]);
  });

  test("nothing takes any value but as part of a record or an object", () => {
    const any = listNodes("unknown", "any").filter(({ place }) => !/(\{\}|\.\*)$/.test(place));
    expect(places(any)).toEqual([]);
  });

  test("limits stand in the OpenAPI document", () => {
    const document = JSON.stringify(createOpenApi(routes));
    const { components } = JSON.parse(document) as { components: { schemas: Record<string, { properties: object }> } };
    const properties = components.schemas.CreateBlock?.properties as Record<string, { anyOf?: object[] }>;
    expect(properties.label).toMatchObject({ maxLength: 400 });
    expect(JSON.stringify(properties.tags)).toContain(`"maxItems":${maxItems}`);
    expect(JSON.stringify(properties.metadata)).toContain(`"maxProperties":${maxJsonKeys}`);
  });
});

describe("a request that is too much", () => {
  test("is told of the list, not of each of its items", () => {
    const messages = new Array(maxItems + 1).fill({});
    expect(recordsOf(() => parseInput(SendMessageWire, { messages }, "body"))).toEqual([
      expect.objectContaining({ type: "too_big", loc: ["body", "messages"] }),
    ]);
  });

  test("of a million values is refused before it is parsed", () => {
    const parse = () => parseJsonBody(`{"messages":[${"{},".repeat(1_000_000)}{}]}`);
    expect(recordsOf(parse)[0]?.msg).toContain("the body holds more than 1000000 values");
    expect(parseJsonBody(`{"text":"${",".repeat(1_100_000)}"}`)).toHaveProperty("text");
  });

  test("with many faults is told of fifty, and how many more there are", () => {
    const schema = z.object({ all: z.array(z.object({ name: z.string() })) });
    const records = recordsOf(() => parseInput(schema, { all: new Array(1_000).fill({}) }, "body"));
    expect(records).toHaveLength(50);
    expect(records[48]).toMatchObject({ type: "missing", loc: ["body", "all", 48, "name"] });
    expect(records[49]).toMatchObject({ loc: ["body"], msg: "951 more errors are not shown" });
  });

  test("with many unknown fields is told of some", () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, 1]));
    const [record] = recordsOf(() => parseInput(z.strictObject({}), fields, "body"));
    expect(record?.msg).toMatch(/field0, .*field19 and 980 more$/);
  });
});

test("a required list that is not sent is missing, as any other field is", () => {
  const records = recordsOf(() =>
    parseInput(
      z.object({ a: routes.find(({ path }) => path.endsWith("/answers"))?.body ?? z.any() }),
      { a: {} },
      "body",
    ),
  );
  expect(records[0]).toMatchObject({ type: "missing", loc: ["body", "a", "answers"] });
});
