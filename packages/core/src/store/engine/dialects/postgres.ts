/** PostgreSQL through `pg`; requires version 15 and the pgvector extension. */
import { PostgresDialect, sql } from "kysely";
import { Pool, types } from "pg";
import { MemoirError } from "../../../shared/errors.ts";
import type { Flavor } from "./flavor.ts";

export const postgresFlavor: Flavor = {
  name: "postgres",
  bytes: "bytea",
  sequence: "bigint generated always as identity primary key",
  clustered: "",
  vector: "halfvec",
  enableVectors: ["create extension if not exists vector"],
  isInList: (value, list) => sql<boolean>`${value} = any(${sql.val([...list])}::text[])`,
  likely: (condition) => condition, // PostgreSQL has statistics
  contains: (text, part) => sql<boolean>`strpos(lower(${text}), lower(${part}::text)) > 0`,
  bytewise: (text) => sql<string>`${text} collate "C"`,
  textIndex: (table, scope, column) => [
    `alter table ${table} add column text_index tsvector generated always as (
       to_tsvector('simple'::regconfig, replace(${scope}, '-', '')) ||
       to_tsvector('english'::regconfig, coalesce(${column}, ''))) stored`,
    `create index ${table}_text on ${table} using gin (text_index)`,
  ],
  matchText: (table, owner, words) => {
    const index = sql.ref(`${table}.text_index`);
    const scope =
      owner === undefined ? sql`true` : sql`${index} @@ plainto_tsquery('simple', ${owner.replaceAll("-", "")})`;
    const phrases = words.map((word) => sql`plainto_tsquery('english', ${word})`);
    const query = sql`(${sql.join(phrases, sql` || `)})`;
    return {
      // Separate conditions, because joined with a query of stop words only, the first would match all rows.
      matches: sql<boolean>`(${scope} and ${index} @@ ${query})`,
      // 1 divides by the logarithm of the length, because long texts match more words.
      rank: sql<number>`ts_rank_cd(${index}, ${query}, 1)`,
    };
  },
};

const int8 = 20;

/** 64-bit integers are timestamps and counters below 2^53, so they are parsed as numbers. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === int8 && format !== "binary") return Number;
  return types.getTypeParser(oid, format);
}

export function openPostgresPool(url: string, size: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: "memoir",
    types: { getTypeParser: getTypeParser as typeof types.getTypeParser },
  });
  // A dropped connection is replaced at the next use and its statement fails; without listeners on idle and active
  // clients, the error event would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

export function createPostgresDialect(pool: Pool): PostgresDialect {
  return new PostgresDialect({ pool });
}

/** One sentence about why the database is unreachable. */
export function describeConnectionError(error: unknown, location: string): MemoirError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = error instanceof Error ? error.message || code : String(error);
  const remedies: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there: start PostgreSQL, or correct the address",
    ENOTFOUND: "the host is not known: correct the address",
    "28P01": "the password is not accepted",
    "28000": "the user may not log in",
    "3D000": "the database does not exist: create it with createdb",
  };
  return new MemoirError("unavailable", `cannot use PostgreSQL at ${location}: ${remedies[code] ?? reason}.`, {
    cause: error,
  });
}
