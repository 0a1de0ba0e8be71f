/** The check of approval-crash.test.ts sees what it is there for: a conversation in which one thing is wrong does not pass. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { startDirectedModels } from "../support/directed-models.ts";
import { hostCommand } from "./ask-suite.ts";
import { checkAsker, createAsker, goOn } from "./asker.ts";
import { createSqliteDatabase } from "./database.ts";
import { startMemoir } from "./process.ts";

const of = (role: string, agent: string) => `role = '${role}' and agent_id = '${agent}'`;
const newest = (role: string, agent: string) => `seq = (select max(seq) from message where ${of(role, agent)})`;

const defects: Readonly<Record<string, (agent: string) => string>> = {
  "a result is missing": (agent) => `delete from message where ${newest("tool", agent)}`,
  "an answer was lost": (agent) =>
    `delete from message where ${of("approval", agent)} and tool_calls is null and ${newest("approval", agent)}`,
  "a message is gone": (agent) => `delete from message where ${newest("user", agent)}`,
  "a message is there twice": (agent) =>
    `update message set content = (select content from message where ${of("user", agent)} limit 1) where ${newest("user", agent)}`,
  "a question was opened again": (agent) =>
    `update approval set ended_at = null where id = (select id from approval where agent_id = '${agent}' limit 1)`,
};

test("every defect is found", async () => {
  const database = createSqliteDatabase();
  onTestFinished(database.remove);
  const folder = mkdtempSync(join(tmpdir(), "memoir-asks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const effects = join(folder, "effects");
  writeFileSync(effects, "");
  const models = await startDirectedModels();
  const env = { ...models.env, MEMOIR_TEST_EFFECTS: effects };
  const server = startMemoir({ database: database.address, command: hostCommand, env });
  onTestFinished(() => server.kill("SIGKILL"));
  const url = await server.ready;
  for (const [defect, write] of Object.entries(defects)) {
    const asker = await createAsker(url, defect.replaceAll(" ", "-"));
    expect(await goOn(url, asker)).toBe(true);
    const lines = readFileSync(effects, "utf8").split("\n");
    expect(await checkAsker(url, asker, lines)).toEqual([]);
    const mail = `${asker.name} first`;
    for (const others of [
      [...lines, mail],
      lines.filter((line) => line !== mail),
      [...lines, `${asker.name} second`],
    ]) {
      expect(await checkAsker(url, asker, others)).toHaveLength(1);
    }
    using file = new DatabaseSync(database.address, { enableForeignKeyConstraints: false, timeout: 5_000 });
    expect(Number(file.prepare(write(asker.agentId)).run().changes), defect).toBe(1);
    expect(await checkAsker(url, asker, lines), defect).not.toEqual([]);
  }
});
