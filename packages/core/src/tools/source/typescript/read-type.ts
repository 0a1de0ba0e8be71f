/** What reading a type of TypeScript gives, and what is needed for it. */
import type { JsonObject } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { shorten } from "../nodes.ts";
import { sourceError } from "../source-error.ts";

export interface ReadType {
  readonly schema: JsonObject;
  /** `undefined` is allowed too, so it may be left out. */
  readonly isOptional: boolean;
}

/** Whose type is read, for errors and against types that hold themselves. */
export interface Place {
  readonly what: string;
  readonly line: number;
  readonly depth: number;
  /** The named types that this is a part of. */
  readonly trail: readonly string[];
}

export type ReadAnnotation = (node: Node, place: Place) => ReadType;

export function unknownType(node: Node, { what, line }: Place): Error {
  return sourceError(
    `${what}: the type "${shorten(node.text)}" cannot be read. Use string, number, boolean, arrays, tuples, unions, Record, ` +
      "or an interface, type or enum of the same source, or send json_schema",
    line,
  );
}
