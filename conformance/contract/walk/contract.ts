/** The contract: the old server's OpenAPI document, what fits its schemas and what breaks them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Listed {
  /** `GET /v1/agents/`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The recorded answers have fields that the contract does not name, so more than it names is allowed. */
export const contract = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "openapi.json"), "utf8").replaceAll(',"additionalProperties":false', ""),
) as OpenApi;

export function listOperations({ paths }: OpenApi): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([word, operation]) => {
      const method = word.toUpperCase();
      return { name: `${method} ${path}`, method, path, operation };
    }),
  );
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: "contract", components: contract.components });

/** Tells how a value breaks a schema of the contract. */
export function findFault(schema: Schema, value: unknown): string | undefined {
  const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/')) as object;
  if (ajv.validate(local, value)) return undefined;
  return ajv.errorsText(ajv.errors?.slice(0, 3), { dataVar: "answer" });
}

/** The least that fits the JSON body of an operation. */
export function sampleBody(document: OpenApi, { requestBody }: Operation): unknown {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema && sample(document, schema, 0);
}

export function sample(document: OpenApi, schema: Schema, depth: number): unknown {
  const { $ref, anyOf, oneOf, type, properties = {}, required = [], items } = schema;
  if ($ref) return sample(document, document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {}, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = (anyOf ?? oneOf)?.find(({ type: kind }) => kind !== "null");
  if (choice) return sample(document, choice, depth);
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return "walk";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return false;
    case "array":
      return depth > 3 || !items ? [] : [sample(document, items, depth + 1)];
    default:
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => required.includes(name))
          .map(([name, property]) => [name, sample(document, property, depth + 1)]),
      );
  }
}
