/** Tools from an OpenAPI 3 document: one for each operation that can be called with what a model can write. */
import { isJsonObject, type JsonObject } from "../../shared/json.ts";
import { stripTrailingSlashes, trimEndOf } from "../../shared/trim.ts";
import { draftOperation, type OpenApiEntry, SkippedOperation } from "./openapi-operation.ts";
import type { RestDraft, RestMethod } from "./operation.ts";
import { resolveRef } from "./schema-refs.ts";
import { refuse } from "./url-template.ts";

export interface OpenApiSource {
  readonly document: JsonObject;
  /** In place of the servers the document names. */
  readonly baseUrl?: string;
  /** Only these, by operation id or as `GET /pets/{id}`; all of them unless given. */
  readonly operations?: readonly string[];
  /** Stands before every name. */
  readonly prefix?: string;
}

export interface OpenApiDrafts {
  readonly drafts: readonly RestDraft[];
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[];
}

const methods: Readonly<Record<string, RestMethod>> = {
  get: "GET",
  head: "HEAD",
  post: "POST",
  put: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};

const maxTools = 200;

export function draftFromOpenApi(source: OpenApiSource): OpenApiDrafts {
  const { document, operations } = source;
  if (typeof document.openapi !== "string" || !/^3\./.test(document.openapi)) {
    throw refuse("openapi", 'this is no OpenAPI 3 document: it must have "openapi": "3.…"');
  }
  const all = listOperations(document);
  const wanted = operations ? all.filter((entry) => namesOf(entry).some((name) => operations.includes(name))) : all;
  rejectUnknown(operations ?? [], all);
  if (wanted.length === 0) throw refuse("openapi", "the document has no operations under its paths");
  if (wanted.length > maxTools) {
    throw refuse(
      "operations",
      `the document has ${wanted.length} operations, and ${maxTools} can become tools at once: choose some by operations`,
    );
  }
  const base = findBase(source);
  const skipped: { operation: string; reason: string }[] = [];
  const taken = new Set<string>();
  const drafts = wanted.flatMap((entry) => {
    try {
      return [draftOperation(document, base, entry, nameTool(entry, source.prefix ?? "", taken))];
    } catch (error) {
      if (!(error instanceof SkippedOperation)) throw error;
      skipped.push({ operation: `${entry.method} ${entry.path}`, reason: error.message });
      return [];
    }
  });
  return { drafts, skipped };
}

function listOperations(document: JsonObject): OpenApiEntry[] {
  const paths = isJsonObject(document.paths) ? document.paths : {};
  return Object.entries(paths).flatMap(([path, value]) => {
    const item = resolveRef(document, value);
    if (!item || !path.startsWith("/")) return [];
    return Object.entries(methods).flatMap(([word, method]) => {
      const operation = item[word];
      return isJsonObject(operation) ? [{ method, path, item, operation }] : [];
    });
  });
}

function namesOf({ method, path, operation }: OpenApiEntry): string[] {
  const id = operation.operationId;
  return [`${method} ${path}`, ...(typeof id === "string" ? [id] : [])];
}

function rejectUnknown(input: readonly string[], all: readonly OpenApiEntry[]): void {
  const known = new Set(all.flatMap(namesOf));
  const unknown = input.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw refuse(
    "operations",
    `the document has no operation "${unknown.slice(0, 200)}": name its operationId, or "GET /path"`,
  );
}

/** All tools of a document go to one place, so that whoever gives credentials knows where they are sent. */
function findBase({ document, baseUrl }: OpenApiSource): string {
  const [server] = Array.isArray(document.servers) ? document.servers : [];
  const variables = isJsonObject(server) && isJsonObject(server.variables) ? server.variables : {};
  const said = isJsonObject(server) && typeof server.url === "string" ? server.url : undefined;
  const filled = said?.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isJsonObject(variable) && typeof variable.default === "string" ? variable.default : whole;
  });
  const base = baseUrl ?? filled;
  if (base === undefined || !/^https?:\/\//i.test(base)) {
    throw refuse("base_url", "the document does not say at which address its server is: give it as base_url");
  }
  return stripTrailingSlashes(base);
}

const longestName = 64;

/** The operation's own name where it has one; names are made different by numbers. */
function nameTool({ method, path, operation }: OpenApiEntry, prefix: string, taken: Set<string>): string {
  const id = typeof operation.operationId === "string" ? operation.operationId : `${method.toLowerCase()}${path}`;
  const words = `${prefix}${id}`.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+/, "");
  const plain = trimEndOf(words, /_/).slice(0, longestName);
  for (let count = 1; ; count++) {
    const end = count === 1 ? "" : `_${count}`;
    const name = `${plain.slice(0, longestName - end.length) || "call"}${end}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
