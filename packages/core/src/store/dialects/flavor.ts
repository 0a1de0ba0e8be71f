/** The few things the two databases spell differently. Everything else is written once. */
import type { Expression, RawBuilder } from "kysely";

export interface Flavor {
  readonly name: "sqlite" | "postgres";
  /** Column type: bytes. */
  readonly bytes: string;
  /** Column type: a number the database hands out, rising with every row. */
  readonly sequence: string;
  /** Column type: an embedding of any dimension. */
  readonly vector: string;
  /** DDL only this database needs to make `column` of `table` searchable by words, within the rows of one `scope`. */
  textIndex(table: string, scope: string, column: string): string[];
  /** Statements before the first vector column can exist. */
  readonly enableVectors: string[];
  /** The text as compared without regard to case. */
  fold(text: Expression<string | null>): RawBuilder<string>;
  /** The text as sorted by its bytes, the same on every machine. */
  bytewise(text: Expression<string | null>): RawBuilder<string>;
}
