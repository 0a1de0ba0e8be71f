/** Cursor parameters, current names and older ones. */
import type { PageRequest } from "@memoir/core";
import type { z } from "zod";
import { maxPageSize } from "../../limits.ts";
import { queryBoolean, queryEnum, queryInteger, queryText } from "./query.ts";

export interface PageQuery {
  before?: string;
  after?: string;
  limit?: number;
  order?: "asc" | "desc";
  /** Older spelling of `order`. */
  ascending?: boolean;
}

export const pageShape: { [K in keyof PageQuery]-?: z.ZodType<PageQuery[K]> } = {
  before: queryText,
  after: queryText,
  limit: queryInteger(),
  order: queryEnum("asc", "desc"),
  ascending: queryBoolean,
};

/** Never refused: clients of the old server may ask for any number. */
export function pageSize(limit: number): number {
  return Math.min(limit, maxPageSize);
}

export function toPage(query: PageQuery, defaults: { limit: number; order: "asc" | "desc" }): PageRequest {
  const older = query.ascending === undefined ? undefined : query.ascending ? "asc" : "desc";
  return {
    limit: pageSize(query.limit ?? defaults.limit),
    order: query.order ?? older ?? defaults.order,
    after: query.after || undefined,
    before: query.before || undefined,
  };
}
