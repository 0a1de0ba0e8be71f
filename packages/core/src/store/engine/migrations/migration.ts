/** A migration is a list of statements for both databases; its checksum covers the statements. */
import type { Flavor } from "../dialects/flavor.ts";

export interface Migration {
  /** `NNNN_title`, numbered without gaps; never renamed or edited after a release. */
  readonly name: string;
  readonly statements: (flavor: Flavor) => string[];
}
