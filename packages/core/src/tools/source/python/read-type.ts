/** What reading a type of Python gives, and what is needed for it. */
import type { JsonObject } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import type { PythonScope } from "./scope.ts";

export interface ReadType {
  readonly schema: JsonObject;
  /** None is allowed too, so the argument may be left out. */
  readonly isOptional: boolean;
  /** Written into the annotation itself. */
  readonly description?: string;
}

/** Whose type is read, for errors and against types that hold themselves. */
export interface Place {
  readonly what: string;
  readonly line: number;
  readonly depth: number;
  /** The classes and aliases that this is a part of. */
  readonly trail: readonly string[];
}

export type ReadAnnotation = (node: Node, place: Place) => ReadType;

/** `t.List` by the name it has where it comes from; nothing for what is no name. */
export function readPath(node: Node, { imports }: PythonScope): string {
  const path = node.text.replaceAll(/\s/g, "");
  if (!/^[\p{L}_][\p{L}\p{M}\p{N}_.]*$/u.test(path)) return "";
  const [first = "", ...rest] = path.split(".");
  return [imports.get(first) ?? first, ...rest].join(".");
}

/** `List` of `typing.List`. */
export const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);
