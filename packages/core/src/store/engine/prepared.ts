/**
 * Builds the statements between a message and its model call once and only binds parameters later, because building
 * costs more than running. They use the same builders, over a scope in which the organization is a parameter too.
 */
import type { Compilable, CompiledQuery } from "kysely";
import type { Flavor } from "./dialects/flavor.ts";
import type { Scope } from "./scope.ts";

export type Values = Readonly<Record<string, string | number>>;

interface Built<R> {
  readonly query: CompiledQuery<R>;
  /** For each parameter the value it is filled from, or undefined for a constant and for the organization. */
  readonly slots: ReadonlyArray<string | undefined>;
}

/** `build` receives a placeholder for each value and may only use it as a bound value. */
export function prepare<V extends Values, R>(
  build: (scope: Scope, values: V) => Compilable<R>,
): (scope: Scope, values: V) => Promise<R[]> {
  const known = new Map<Flavor["name"], Built<R>>();
  return async (scope, values) => {
    let built = known.get(scope.flavor.name);
    if (!built) {
      built = buildOnce(scope, Object.keys(values), build);
      known.set(scope.flavor.name, built);
    }
    const { query, slots } = built;
    const parameters = slots.map((slot, index) => (slot === undefined ? query.parameters[index] : values[slot]));
    return await scope.runPrepared(query, parameters);
  };
}

const standIn = (name: string) => `\u0000${name}`;

function buildOnce<V extends Values, R>(
  scope: Scope,
  names: readonly string[],
  build: (scope: Scope, values: V) => Compilable<R>,
): Built<R> {
  const slotOf = new Map<unknown, string>(names.map((name) => [standIn(name), name]));
  const values = Object.fromEntries(names.map((name) => [name, standIn(name)])) as unknown as V;
  const query = build(scope.template(), values).compile();
  const slots = query.parameters.map((parameter) => slotOf.get(parameter));
  const missing = names.find((name) => !slots.includes(name));
  if (missing !== undefined) throw new Error(`"${missing}" is no value of the statement: ${query.sql}`);
  return { query, slots };
}
