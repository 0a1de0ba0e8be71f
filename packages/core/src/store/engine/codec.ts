/** Maps entities to rows: one line per field gives column name and encoding, for reading and writing. */
export interface Field<V> {
  readonly column: string;
  decode(stored: unknown): V;
  encode(value: V): unknown;
}

export type Fields<E> = { readonly [K in keyof E]-?: Field<E[K]> };

export interface Codec<E> {
  /** Qualified column names, for a select list. */
  readonly columns: readonly string[];
  decode(row: object): E;
  /** Decodes a row that holds qualified columns of several tables. */
  decodeQualified(row: object): E;
  /** Encodes the fields that are present; `undefined` counts as absent. */
  encode(entity: Partial<E>): Record<string, unknown>;
}

/** Text and numbers are stored unchanged. */
export function plain<V extends string | number | null>(column: string): Field<V> {
  return { column, decode: (stored) => (stored ?? null) as V, encode: (value) => value };
}

export function flag<V extends boolean | null>(column: string): Field<V> {
  return {
    column,
    decode: (stored) => (stored === null ? null : stored === 1) as V,
    encode: (value) => (value === null ? null : Number(value)),
  };
}

export function json<V>(column: string): Field<V> {
  return {
    column,
    decode: (stored) => (stored === null ? null : JSON.parse(String(stored))) as V,
    encode: (value) => (value === null ? null : JSON.stringify(value)),
  };
}

export function createCodec<E extends object>(table: string, fields: Fields<E>): Codec<E> {
  const entries = Object.entries(fields) as Array<[string, Field<unknown>]>;
  const columns = entries.map(([, field]) => `${table}.${field.column}`);
  return {
    columns,
    decode(row) {
      const entity: Record<string, unknown> = {};
      const stored = row as Record<string, unknown>;
      for (const [name, field] of entries) entity[name] = field.decode(stored[field.column]);
      return entity as E;
    },
    decodeQualified(row) {
      const entity: Record<string, unknown> = {};
      const stored = row as Record<string, unknown>;
      for (const [index, [name, field]] of entries.entries()) {
        entity[name] = field.decode(stored[columns[index] ?? ""]);
      }
      return entity as E;
    },
    encode(entity) {
      const row: Record<string, unknown> = {};
      const input = entity as Record<string, unknown>;
      for (const [name, field] of entries) {
        if (input[name] !== undefined) row[field.column] = field.encode(input[name]);
      }
      return row;
    },
  };
}
