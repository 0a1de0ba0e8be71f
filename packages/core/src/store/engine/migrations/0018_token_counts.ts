/**
 * SQLite stored any number that a provider reported, and lists of steps failed on numbers that JavaScript cannot
 * represent.
 */
import type { Migration } from "./migration.ts";

const isNoCount = (column: string) => `(${column} < 0 or ${column} > 2147483647)`;
const certain = ["prompt_tokens", "completion_tokens"];
const uncertain = ["cached_tokens", "cache_write_tokens", "reasoning_tokens"];

export const tokenCounts: Migration = {
  name: "0018_token_counts",
  statements: () => [
    ...certain.map((column) => `update step set ${column} = 0 where ${isNoCount(column)}`),
    ...uncertain.map((column) => `update step set ${column} = null where ${isNoCount(column)}`),
    `update step set total_tokens = case when prompt_tokens > 2147483647 - completion_tokens then 2147483647
       else prompt_tokens + completion_tokens end where ${isNoCount("total_tokens")}`,
    ...[...certain, ...uncertain, "total_tokens"].map(
      (column) => `update step set ${column} = cast(round(${column}) as integer) where ${column} <> round(${column})`,
    ),
  ],
};
