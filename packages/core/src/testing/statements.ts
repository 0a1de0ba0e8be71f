/** Counts SQL statements by looking over the drivers' shoulders. `begin`, `commit` and savepoints are not counted. */
import { StatementSync } from "node:sqlite";
import { Client } from "pg";

let count = 0;

export function readStatements(): number {
  return count;
}

const bookkeeping = /^(begin|commit|rollback|savepoint|release)/i;

function note(text: unknown): void {
  if (!bookkeeping.test(String(text))) count++;
}

/** Wraps the drivers; once is enough. */
export function countStatements(): void {
  const statements = StatementSync.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of ["all", "run", "get"]) {
    const original = statements[name];
    statements[name] = function (this: { sourceSQL: string }, ...args: unknown[]) {
      note(this.sourceSQL);
      return original?.apply(this, args);
    };
  }
  const client = Client.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const query = client.query;
  client.query = function (this: unknown, ...args: unknown[]) {
    const [first] = args;
    note(typeof first === "string" ? first : (first as { text?: string } | undefined)?.text);
    return query?.apply(this, args);
  };
}
