/** The differences between the two databases; everything else is written once. */
import type { Expression, RawBuilder } from "kysely";

/** Tables with full-text search, scoped by owner: a message by its agent, a passage by its archive. */
export type TextTable = "message" | "passage";

/** The parts of a full-text query that matches any of some words. */
export interface TextMatch {
  /** A separate index table, if any, and its column with the row's sequence number. */
  readonly index?: { readonly table: string; readonly seq: string };
  readonly matches: RawBuilder<boolean>;
  /** Higher is better. */
  readonly rank: RawBuilder<number>;
}

export interface Flavor {
  readonly name: "sqlite" | "postgres";
  /** Column type for bytes. */
  readonly bytes: string;
  /** Column type for a number that the database increments per row. */
  readonly sequence: string;
  /** Table suffix for small rows: stored in primary-key order without a separate index. */
  readonly clustered: string;
  /** Column type for an embedding of any dimension. */
  readonly vector: string;
  /** DDL for full-text search of `column` in `table`, scoped by `scope`. */
  textIndex(table: string, scope: string, column: string): string[];
  /** Words are literal and may be phrases; without an owner, all texts are searched. */
  matchText(table: TextTable, owner: string | undefined, words: readonly string[]): TextMatch;
  /** Statements required before the first vector column. */
  readonly enableVectors: string[];
  /** Marks a condition as true for nearly all rows, so that SQLite prefers other indexes. */
  likely(condition: RawBuilder<boolean>): RawBuilder<boolean>;
  /** Tests membership in a list of any length, bound as one parameter. */
  isInList(value: Expression<string>, list: readonly string[]): RawBuilder<boolean>;
  /** Case-insensitive substring test without wildcards. */
  contains(text: Expression<string | null>, part: string): RawBuilder<boolean>;
  /** Sorts text by bytes, independent of the locale. */
  bytewise(text: Expression<string | null>): RawBuilder<string>;
}
