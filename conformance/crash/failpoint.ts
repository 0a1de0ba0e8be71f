/**
 * Loaded into a server with --import: kills it at a named point, which a clock would seldom hit. MEMOIR_TEST_FAILPOINT
 * is "<name>:<count>": "in-transaction" is after the count-th statement that writes, "before-commit" and "after-commit"
 * are around the count-th commit. MEMOIR_TEST_FAILPOINT_FILE holds the same, to be read at SIGUSR2: counting begins then.
 */
import { readFileSync } from "node:fs";
import { StatementSync } from "node:sqlite";
import { Client } from "pg";

export const failpoints = ["in-transaction", "before-commit", "after-commit"] as const;

export type Failpoint = (typeof failpoints)[number];

const { MEMOIR_TEST_FAILPOINT: now = "", MEMOIR_TEST_FAILPOINT_FILE: file } = process.env;
let name: string | undefined;
let left = 0;

function arm(text: string): void {
  const [point, count] = text.split(":");
  name = point;
  left = Number(count);
}

export const armedText = (text: string) => `armed for ${text}`;

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

if (file) {
  process.on("SIGUSR2", () => {
    const text = readFileSync(file, "utf8");
    arm(text);
    console.log(armedText(text));
  });
}

if (now || file) {
  arm(now);
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
