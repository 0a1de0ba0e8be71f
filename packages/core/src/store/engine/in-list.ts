/** A column's value is one of a list of any length: databases take only so many parameters in a statement. */
import { type RawBuilder, sql } from "kysely";
import type { Scope } from "./scope.ts";

/** Up to here each value is a parameter of its own, which both databases plan best. */
const fewValues = 100;

export function isAmong(scope: Scope, column: string, values: readonly string[]): RawBuilder<boolean> {
  const ref = sql.ref<string>(column);
  if (values.length === 0) return sql<boolean>`1 = 0`;
  if (values.length <= fewValues) return sql<boolean>`${ref} in (${sql.join(values)})`;
  return scope.flavor.isAmong(ref, values);
}
