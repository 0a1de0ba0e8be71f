/**
 * Loaded into a server with --import: kills it at a named point, which a clock would seldom hit. MEMOIR_TEST_FAILPOINT
 * is "<name>:<count>": "in-transaction" is after the count-th statement that writes, "before-commit" and "after-commit"
 * are around the count-th commit.
 */
import { StatementSync } from "node:sqlite";
import { Client } from "pg";

export const failpoints = ["in-transaction", "before-commit", "after-commit"] as const;

export type Failpoint = (typeof failpoints)[number];

const [name, count] = (process.env.MEMOIR_TEST_FAILPOINT ?? "").split(":");
let left = Number(count);

function hit(point: Failpoint): void {
  if (point !== name) return;
  left--;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

const isCommit = (statement: string) => statement === "commit";
const isWrite = (statement: string) => /^(insert|update|delete) /.test(statement);

function before(statement: string): void {
  if (isCommit(statement)) hit("before-commit");
}

function after(statement: string): void {
  if (isCommit(statement)) hit("after-commit");
  else if (isWrite(statement)) hit("in-transaction");
}

if (name) {
  const { run } = StatementSync.prototype;
  StatementSync.prototype.run = function (this: StatementSync, ...words: Parameters<typeof run>) {
    before(this.sourceSQL);
    const result = run.apply(this, words);
    after(this.sourceSQL);
    return result;
  } as typeof run;
  const query = Client.prototype.query as (...words: unknown[]) => unknown;
  Client.prototype.query = function (this: Client, ...words: unknown[]) {
    const statement = typeof words[0] === "string" ? words[0] : "";
    before(statement);
    const result = query.apply(this, words);
    if (result instanceof Promise) result.then(() => after(statement)).catch(() => {});
    return result;
  } as typeof Client.prototype.query;
}
