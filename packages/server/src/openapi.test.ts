import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Memoir } from "@memoir/core";
import { describe, expect, test } from "vitest";
import { createOpenApi } from "./openapi.ts";
import { listRoutes } from "./route-list.ts";

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: object;
}

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>;
}

interface Schema {
  $ref?: string;
  properties?: Record<string, object>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const routes = listRoutes({ memoir: new Memoir({ database: ":memory:" }), findProviders: async () => [] });
// As a client reads it: through JSON.
const document: Document = JSON.parse(JSON.stringify(createOpenApi(routes)));
const operations = listOperations(document);

function listOperations({ paths }: Pick<Document, "paths">) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

function listRefs(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : listRefs(inner),
  );
}

function resolve(ref: string): unknown {
  const steps = ref.replace(/^#\//, "").split("/");
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}

test("the document names its version of OpenAPI, the program and its version", () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info).toMatchObject({ title: "Memoir", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

test("every reference leads to a schema that says something itself", () => {
  const refs = new Set(listRefs(document));
  expect(refs.size).toBeGreaterThan(10);
  const empty = [...refs].filter((ref) => {
    const schema = resolve(ref) as Schema | undefined;
    return schema === undefined || "$ref" in schema || Object.keys(schema).length === 0;
  });
  expect(empty).toEqual([]);
});

test("a client generator finds the fields of requests and answers", () => {
  expect(Object.keys(document.components.schemas.CreateAgentRequest?.properties ?? {})).toContain("memory_blocks");
  expect(Object.keys(document.components.schemas.AgentState?.properties ?? {})).toContain("message_ids");
  expect(Object.keys(document.components.schemas.Health?.properties ?? {})).toContain("version");
});

test("every operation has a name of its own, a summary, a tag and an answer", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { operation } of operations) {
    expect(operation.summary).not.toBe("");
    expect(operation.tags).toHaveLength(1);
    // 204 says that there is nothing to read.
    const isSilent = "204" in operation.responses;
    const answer = operation.responses["200"] ?? operation.responses["202"];
    expect(typeof answer?.content["application/json"]?.schema).toBe(isSilent ? "undefined" : "object");
    for (const { description } of Object.values(operation.responses)) expect(description).not.toBe("");
  }
});

test("the parameters in a path are described, required, and no others", () => {
  for (const { path, operation } of operations) {
    expect(path).toMatch(/^\/v1\//);
    const described = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(described.map(({ name }) => name).sort()).toEqual(named.sort());
    expect(described.every(({ required }) => required)).toBe(true);
    const all = (operation.parameters ?? []).map(({ name, in: place }) => `${place} ${name}`);
    expect(new Set(all).size).toBe(all.length);
  }
});

const contractFile = join(import.meta.dirname, "../../../../shared/spec/openapi.json");

// The contract lies beside the checkout on our own machines only.
if (existsSync(contractFile)) describe("beside the contract of the old server", compareWithContract);

function compareWithContract(): void {
  const contract: Document = JSON.parse(readFileSync(contractFile, "utf8"));
  const theirs = new Map(
    listOperations(contract).map(({ method, path, operation }) => [`${method} ${path}`, operation]),
  );
  const shared = operations.filter(({ path }) => !path.startsWith("/v1/memoir/"));

  /** Served there without being in the document. */
  const undocumented =
    /^\/v1\/(sandbox-config|admin|auth|_internal_search)\b|\/(generate-schema|generate-tool|capture)$|\/transaction\//;

  test("every operation has the path, method and name it has there", () => {
    const documented = shared.filter(({ path }) => !undocumented.test(path));
    const ours = documented.map(({ method, path, operation: { operationId } }) => [`${method} ${path}`, operationId]);
    expect(ours).toEqual(ours.map(([place = ""]) => [place, theirs.get(place)?.operationId]));
  });

  test("every query parameter known there is known here", () => {
    // An order that can only be the usual one may be said and has no effect.
    const hasChoice = ({ name, schema }: Parameter) => name !== "order_by" || !("const" in schema);
    const names = (operation: Operation | undefined) =>
      (operation?.parameters ?? [])
        .filter((parameter) => parameter.in === "query" && hasChoice(parameter))
        .map(({ name }) => name);
    const missing = shared.flatMap(({ method, path, operation }) => {
      const known = new Set(names(operation));
      const lost = names(theirs.get(`${method} ${path}`)).filter((name) => !known.has(name));
      return lost.map((name) => `${method} ${path} ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test("every body field known there is known here", () => {
    // Accepted and without effect: of the hosted product's templates, and what messages do not know yet.
    const ofTemplates = ["from_template", "template", "project", "memory_variables"];
    const ofMessages = ["enable_thinking"];
    const ignored: Readonly<Record<string, readonly string[]>> = {
      create_agent: ofTemplates,
      // There the format is described as the body of a GET.
      export_agent: ["spec", "legacy_spec"],
      create_internal_template_agent: ofTemplates,
      send_message: ofMessages,
      create_agent_message_async: ofMessages,
      create_agent_message_stream: ofMessages,
      preview_conversation_model_request: ofMessages,
      send_conversation_message: ofMessages,
    };
    const fields = (operation: Operation | undefined, { components }: Document) => {
      const schema = operation?.requestBody?.content["application/json"]?.schema;
      const name = schema?.$ref?.split("/").at(-1);
      return Object.keys((name === undefined ? schema : components.schemas[name])?.properties ?? {});
    };
    const missing = shared.flatMap(({ method, path, operation }) => {
      const known = new Set([...fields(operation, document), ...(ignored[operation.operationId] ?? [])]);
      const lost = fields(theirs.get(`${method} ${path}`), contract).filter((name) => !known.has(name));
      return lost.map((name) => `${method} ${path} ${name}`);
    });
    expect(missing).toEqual([]);
  });
}
