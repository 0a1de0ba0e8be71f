/** Membership in a list of any length, because the number of parameters per statement is limited. */
import { type RawBuilder, sql } from "kysely";
import type { Scope } from "./scope.ts";

/** Up to this size each value is its own parameter, which both databases plan best. */
const maxParameters = 100;

export function isInList(scope: Scope, column: string, values: readonly string[]): RawBuilder<boolean> {
  const ref = sql.ref<string>(column);
  if (values.length === 0) return sql<boolean>`1 = 0`;
  if (values.length <= maxParameters) return sql<boolean>`${ref} in (${sql.join(values)})`;
  return scope.flavor.isInList(ref, values);
}
