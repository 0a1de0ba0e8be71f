/** PostgreSQL through `pg`. Needs version 15 or later with the pgvector extension. */
import { PostgresDialect, sql } from "kysely";
import { Pool, types } from "pg";
import type { Flavor } from "./flavor.ts";

export const postgresFlavor: Flavor = {
  name: "postgres",
  bytes: "bytea",
  sequence: "bigint generated always as identity primary key",
  vector: "halfvec",
  enableVectors: ["create extension if not exists vector"],
  fold: (text) => sql<string>`lower(${text})`,
  bytewise: (text) => sql<string>`${text} collate "C"`,
  textIndex: (table, scope, column) => [
    `alter table ${table} add column text_index tsvector generated always as (
       to_tsvector('simple'::regconfig, replace(${scope}, '-', '')) ||
       to_tsvector('english'::regconfig, coalesce(${column}, ''))) stored`,
    `create index ${table}_text on ${table} using gin (text_index)`,
  ],
};

const int8 = 20;

/** 64-bit integers hold moments and counters, all below 2^53, so they are read as numbers. */
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
  // An idle connection that drops is replaced at the next use; without a listener it would end the process.
  pool.on("error", () => {});
  return pool;
}

export function createPostgresDialect(pool: Pool): PostgresDialect {
  return new PostgresDialect({ pool });
}
