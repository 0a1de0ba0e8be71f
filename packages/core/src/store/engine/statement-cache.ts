/** Compiled statements of one store; the least recently added goes when there are too many. */
import type { CompiledQuery } from "kysely";

/** About 50 tables, each with a few sets of columns and up to four rows at once. */
export const maxStatements = 1_000;

export class StatementCache {
  readonly #statements = new Map<string, CompiledQuery>();

  get(key: string): CompiledQuery | undefined {
    return this.#statements.get(key);
  }

  set(key: string, statement: CompiledQuery): void {
    this.#statements.set(key, statement);
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size > maxStatements) this.#statements.delete(oldest);
  }
}
