/** A migration is a list of statements, the same file for both databases. Its checksum is taken over what it yields. */
import type { Flavor } from "../dialects/flavor.ts";

export interface Migration {
  /** `NNNN_title`, rising without gaps; never renamed or edited once released. */
  readonly name: string;
  readonly statements: (flavor: Flavor) => string[];
}
