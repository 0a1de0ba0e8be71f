/** Documents as people have them, and as nobody should. */
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { buildRequest } from "./build-request.ts";
import { readCredentials } from "./credentials.ts";
import { draftFromOpenApi, type OpenApiSource } from "./openapi.ts";
import type { RestDraft } from "./operation.ts";

const pet: JsonObject = {
  type: "object",
  required: ["name", "id"],
  properties: {
    id: { type: "integer", readOnly: true },
    name: { type: "string", example: "Rex", pattern: "^(a+)+$" },
    age: { type: "integer", nullable: true, minimum: 0, exclusiveMinimum: true },
    parent: { $ref: "#/components/schemas/Pet" },
  },
};

const document: JsonObject = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://{place}.example.org/v1/", variables: { place: { default: "api" } } }],
  security: [{ key: [] }],
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        summary: "List pets.",
        description: "Newest first.",
        parameters: [
          { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "ids", in: "query", explode: false, schema: { type: "array", items: { type: "integer" } } },
          { name: "filter", in: "query", style: "deepObject", schema: { type: "object" } },
          { name: "where", in: "query", content: { "application/json": { schema: { type: "object" } } } },
          { name: "X-Page[size]", in: "header", schema: { type: "integer" } },
          { name: "X-Page", in: "header", description: "Which page.", schema: { type: "integer" } },
          { name: "Authorization", in: "header", schema: { type: "string" } },
          { name: "session", in: "cookie", schema: { type: "string" } },
        ],
      },
      post: {
        summary: "Add a pet.",
        security: [{ login: [] }],
        requestBody: { $ref: "#/components/requestBodies/Pet" },
      },
    },
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: { operationId: "get.pet", parameters: [{ name: "id", in: "query", schema: { type: "string" } }] },
      put: {
        operationId: "get pet",
        requestBody: { content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } } },
      },
      delete: { operationId: "removePet", security: [] },
    },
    "/pets/{id}/photo": {
      parameters: [{ $ref: "#/paths/~1pets~1{id}/parameters/0" }],
      post: { requestBody: { required: true, content: { "multipart/form-data": {} } } },
      get: { parameters: [{ name: "session", in: "cookie", required: true }] },
    },
    "/lost/{what}": { get: {} },
  },
  components: {
    schemas: { Pet: pet },
    requestBodies: {
      Pet: {
        required: true,
        description: "The pet.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
      },
    },
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api_key" },
      login: { type: "http", scheme: "basic" },
      token: { type: "oauth2", flows: {} },
      biscuit: { type: "apiKey", in: "cookie", name: "session" },
    },
  },
};

const draft = (more: Partial<OpenApiSource> = {}) => draftFromOpenApi({ document, ...more });

function find(name: string): RestDraft {
  const found = draft().drafts.find((one) => one.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

const request = (name: string, args: JsonObject) =>
  buildRequest({ ...find(name).operation, credentials: [], timeoutMs: 1 }, args, {});

test("every operation that can be called becomes a tool; the others say why they do not", () => {
  const { drafts, skipped } = draft();
  expect(drafts.map(({ name, operation }) => `${name}: ${operation.method} ${operation.url}`)).toEqual([
    "listPets: GET https://api.example.org/v1/pets",
    "post_pets: POST https://api.example.org/v1/pets",
    "get_pet: GET https://api.example.org/v1/pets/{id}",
    "get_pet_2: PUT https://api.example.org/v1/pets/{id}",
    "removePet: DELETE https://api.example.org/v1/pets/{id}",
  ]);
  expect(skipped).toEqual([
    { operation: "GET /pets/{id}/photo", reason: 'its parameter "session" (cookie) cannot be sent from here' },
    { operation: "POST /pets/{id}/photo", reason: "it wants a body of multipart/form-data" },
    { operation: "GET /lost/{what}", reason: "its path holds {what}, of which nothing is said" },
  ]);
  expect(drafts[0]?.description).toBe("List pets.\n\nNewest first.");
});

test("schemas come without references, without what only answers hold, and in words of JSON Schema", () => {
  expect(find("post_pets").parameters).toEqual({
    type: "object",
    properties: {
      body: {
        description: "The pet.",
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string" },
          age: { type: ["integer", "null"], exclusiveMinimum: 0 },
          parent: {},
        },
      },
    },
    required: ["body"],
  });
});

test("arguments of the same name are told apart, and named as models can write them", () => {
  expect(Object.keys(find("get_pet").parameters.properties as JsonObject)).toEqual(["id", "query_id"]);
  const { properties } = find("listPets").parameters;
  expect(Object.keys(properties as JsonObject)).toEqual(["tags", "ids", "filter", "where", "X-Page"]);
});

test("keys of an object cannot stand for another parameter, a fixed value or a credential", () => {
  const operation = {
    ...find("listPets").operation,
    query: { fixed: "1" },
    parameters: ["extra", "tags"].map((name) => ({ argument: name, in: "query", name, style: "repeat" }) as const),
    credentials: [{ in: "query", name: "api_key" }] as const,
    timeoutMs: 1,
  };
  const send = (extra: JsonObject) => buildRequest(operation, { extra }, { "query/api_key": "k" });
  for (const key of ["api_key", "API_KEY", "api_key[]", "fixed", "tags"]) {
    expect(() => send({ [key]: "x" }), key).toThrow(`extra must not have the key "${key}"`);
  }
  expect(send({ age: 3 }).url).toMatch(/\?fixed=1&age=3&api_key=k$/);
});

test("lists and objects are written into the address as the document says", () => {
  const args: JsonObject = {
    tags: ["a", "b c"],
    ids: [1, 2],
    filter: { age: 3, "x&y": "=" },
    where: { a: 1 },
    "X-Page": 2,
  };
  const { url, headers } = request("listPets", args);
  expect(url).toBe(
    "https://api.example.org/v1/pets?tags=a&tags=b+c&ids=1%2C2&filter%5Bage%5D=3&filter%5Bx%26y%5D=%3D&where=%7B%22a%22%3A1%7D",
  );
  expect(headers["x-page"]).toBe("2");
});

test("bodies are sent as the operation takes them", () => {
  expect(request("post_pets", { body: { name: "Rex" } })).toMatchObject({
    body: '{"name":"Rex"}',
    headers: { "content-type": "application/json" },
  });
  expect(request("get_pet_2", { id: 3, body: { name: "a&b", tags: ["x", "y"] } })).toMatchObject({
    url: "https://api.example.org/v1/pets/3",
    body: "name=a%26b&tags=x&tags=y",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(() => request("post_pets", { body: { name: "x".repeat(1_000_001) } })).toThrow(/longer than 1000000 bytes/);
});

test("some operations can be chosen, named with a prefix, and sent to another server", () => {
  const chosen = draft({
    operations: ["listPets", "DELETE /pets/{id}"],
    prefix: "pets_",
    baseUrl: "http://10.1.2.3/api",
  });
  expect(chosen.drafts.map(({ name, operation }) => [name, operation.url])).toEqual([
    ["pets_listPets", "http://10.1.2.3/api/pets"],
    ["pets_removePet", "http://10.1.2.3/api/pets/{id}"],
  ]);
  expect(() => draft({ operations: ["listCats"] })).toThrow(/no operation "listCats"/);
});

test("credentials go with the operations that ask for them", () => {
  expect(find("listPets").schemes).toEqual(["key"]);
  expect(find("post_pets").schemes).toEqual(["login"]);
  expect(find("removePet").schemes).toEqual([]);
  const { byScheme } = readCredentials({ schemes: { key: "k", login: "ada:pw", token: "t" } }, document);
  expect(Object.fromEntries(byScheme)).toEqual({
    key: { in: "query", name: "api_key", value: "k" },
    login: { in: "header", name: "Authorization", value: "Basic YWRhOnB3" },
    token: { in: "header", name: "Authorization", value: "Bearer t" },
  });
  expect(() => readCredentials({ schemes: { lock: "k" } }, document)).toThrow(/it has: key, login, token, biscuit/);
  expect(() => readCredentials({ schemes: { biscuit: "k" } }, document)).toThrow(/send its value as a header/);
  expect(() => readCredentials({ headers: { "X-A": "a\nb" } }, document)).toThrow(/characters that no header can/);
});

test.for<[what: string, document: JsonValue, message: RegExp]>([
  ["Swagger 2", { swagger: "2.0", paths: {} }, /no OpenAPI 3 document/],
  ["no paths", { openapi: "3.1.0", servers: [{ url: "https://x.example" }] }, /no operations/],
  ["no server", { openapi: "3.1.0", paths: { "/a": { get: {} } } }, /base_url/],
  ["a relative server", { openapi: "3.1.0", servers: [{ url: "/v1" }], paths: { "/a": { get: {} } } }, /base_url/],
  [
    "a server with a gap",
    { openapi: "3.1.0", servers: [{ url: "https://{x}.a.example" }], paths: { "/a": { get: {} } } },
    /only the path/,
  ],
  ["paths that are a list", { openapi: "3.1.0", paths: [1] }, /no operations/],
])("a document with %s is refused with what is missing", ([, odd, message]) => {
  expect(() => draftFromOpenApi({ document: odd as JsonObject })).toThrow(message);
});

test("a document that unfolds without end, or in circles, costs one operation", () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `L${level}`,
      {
        type: "object",
        properties: {
          a: { $ref: `#/components/schemas/L${level + 1}` },
          b: { $ref: `#/components/schemas/L${level + 1}` },
        },
      },
    ]),
  );
  const bomb: JsonObject = {
    openapi: "3.1.0",
    servers: [{ url: "https://x.example" }],
    paths: {
      "/bomb": {
        post: { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/L0" } } } } },
      },
      "/loop": { $ref: "#/paths/~1loop" },
      "/far": { get: { parameters: [{ $ref: "https://elsewhere.example/x.json" }, { $ref: "#/__proto__/x" }] } },
      "/fine": { get: {} },
    },
    components: { schemas },
  };
  const { drafts, skipped } = draftFromOpenApi({ document: bomb });
  expect(drafts.map(({ name }) => name)).toEqual(["get_far", "get_fine"]);
  expect(skipped).toEqual([{ operation: "POST /bomb", reason: "the schema of its arguments is too large" }]);
});

test("more operations than a model could choose from have to be chosen by someone", () => {
  const paths = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`/p${index}`, { get: {} }]));
  const large = { openapi: "3.1.0", servers: [{ url: "https://x.example" }], paths };
  expect(() => draftFromOpenApi({ document: large })).toThrow(/201 operations, and 200 can become tools at once/);
  expect(draftFromOpenApi({ document: large, operations: ["GET /p7"] }).drafts).toHaveLength(1);
});
