/** Walks the schemas of a request, part by part, so that tests can look at each. */
import type { z } from "zod";

export interface SchemaNode {
  /** As in `body.messages[].content`. */
  readonly place: string;
  readonly schema: z.core.$ZodType;
  /** The schema with its preprocessing around it: what a value is parsed by at this place. */
  readonly outer: z.core.$ZodType;
}

type Visit = (node: SchemaNode) => void;
type Def = z.core.$ZodTypes["_zod"]["def"];

const defOf = (schema: z.core.$ZodType) => schema._zod.def as Def;

/** Visits every schema below `schema` once for each place. */
export function walkSchema(schema: z.core.$ZodType, place: string, visit: Visit): void {
  walk({ place, schema, outer: schema }, visit, new Set());
}

function walk(node: SchemaNode, visit: Visit, above: ReadonlySet<z.core.$ZodType>): void {
  // A schema inside itself was visited further up.
  if (above.has(node.schema)) return;
  visit(node);
  const inside = new Set(above).add(node.schema);
  for (const child of listChildren(node)) walk(child, visit, inside);
}

function listChildren({ schema, place, outer }: SchemaNode): SchemaNode[] {
  const def = defOf(schema);
  const at = (inner: z.core.$ZodType, suffix = ""): SchemaNode => ({
    place: place + suffix,
    schema: inner,
    outer: inner,
  });
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def.shape).map(([name, inner]) => at(inner, `.${name}`));
      return def.catchall ? [...fields, at(def.catchall, ".*")] : fields;
    }
    case "array":
      return [at(def.element, "[]")];
    case "tuple":
      return def.items.map((item, index) => at(item, `[${index}]`));
    case "record":
      return [at(def.keyType, "{key}"), at(def.valueType, "{}")];
    case "union":
      return def.options.map((option) => at(option));
    case "intersection":
      return [at(def.left), at(def.right)];
    case "lazy":
      return [at(def.getter())];
    case "pipe":
      // A preprocess: its function sees the value before the schema does.
      return defOf(def.in).type === "transform" ? [{ place, schema: def.out, outer }] : [at(def.in), at(def.out)];
    case "optional":
    case "nullable":
    case "nonoptional":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
      return [at(def.innerType)];
    default:
      return [];
  }
}
