/** The few things the two databases spell differently. Everything else is written once. */
import type { Expression, RawBuilder } from "kysely";

/** Tables whose text is indexed by words, each within an owner: a message within its agent, a passage within its archive. */
export type TextTable = "message" | "passage";

/** How the rows are found whose text has any of some words. */
export interface TextMatch {
  /** The index, where it is a table of its own, and the column that holds the row's sequence number there. */
  readonly index?: { readonly table: string; readonly seq: string };
  readonly matches: RawBuilder<boolean>;
  /** The greater, the better the text fits. */
  readonly rank: RawBuilder<number>;
}

export interface Flavor {
  readonly name: "sqlite" | "postgres";
  /** Column type: bytes. */
  readonly bytes: string;
  /** Column type: a number the database hands out, rising with every row. */
  readonly sequence: string;
  /** After a table whose rows are small: they are kept in the order of the primary key, without an index beside it. */
  readonly clustered: string;
  /** Column type: an embedding of any dimension. */
  readonly vector: string;
  /** DDL only this database needs to make `column` of `table` searchable by words, within the rows of one `scope`. */
  textIndex(table: string, scope: string, column: string): string[];
  /** Each word is taken literally, and may be a phrase. Without an owner, in the texts of all. */
  matchText(table: TextTable, owner: string | undefined, words: readonly string[]): TextMatch;
  /** Statements before the first vector column can exist. */
  readonly enableVectors: string[];
  /** The condition, as one that holds for nearly every row: a reason to use an index for it only if there is no other. */
  mostly(condition: RawBuilder<boolean>): RawBuilder<boolean>;
  /** The value is one of a list of any length, which is one parameter. */
  isAmong(value: Expression<string>, list: readonly string[]): RawBuilder<boolean>;
  /** The text has this part, in any case. Nothing in the part is a wildcard. */
  contains(text: Expression<string | null>, part: string): RawBuilder<boolean>;
  /** The text as sorted by its bytes, the same on every machine. */
  bytewise(text: Expression<string | null>): RawBuilder<string>;
}
