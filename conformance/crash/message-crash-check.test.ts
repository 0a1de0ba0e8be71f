/** The check of message-crash.test.ts sees what it is there for: a database in which one thing is wrong does not pass. */
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { startDirectedModels } from "../support/directed-models.ts";
import { createSqliteDatabase } from "./database.ts";
import { startMemoir } from "./process.ts";
import { createRandom } from "./random.ts";
import { checkTalk, countOpenRuns } from "./talk-check.ts";
import { createAgents, createTalker, sayNext } from "./talkers.ts";

const last = (table: string, where = "1 = 1") => `(select max(seq) from ${table} where ${where})`;

const defects = {
  "an answer is missing": `delete from message where seq = ${last("message")}`,
  "an answer is out of the context": `update message set in_context = 0 where seq = ${last("message")}`,
  "a message was accepted and is gone": `delete from message where seq = ${last("message", "role = 'user'")}`,
  "a message is there twice": `update message set content = (select content from message where role = 'user' limit 1)
    where seq = ${last("message", "role = 'user'")}`,
  "an edit is missing": "update block set value = 'Facts:' where label = 'human'",
  "an edit is there twice": "update block set value = value || char(10) || 't1-1 shared' where label = 'team'",
  "a passage is there twice": "update passage set body = 'other'",
  "a run failed": `update run set status = 'failed' where seq = ${last("run")}`,
  "a step was counted twice": `update step set total_tokens = 220 where seq = ${last("step")}`,
  "a step is missing": `delete from step where seq = ${last("step")}`,
};

test("every defect is found", async () => {
  const database = createSqliteDatabase();
  onTestFinished(database.remove);
  const models = await startDirectedModels();
  const talkers = [createTalker("t1", createRandom(1)), createTalker("t2", createRandom(2))];
  const server = startMemoir({ database: database.address, env: models.env });
  onTestFinished(() => server.kill("SIGKILL"));
  const url = await server.ready;
  await createAgents(url, talkers);
  for (const talker of [...talkers, ...talkers, ...talkers]) expect(await sayNext(url, talker)).toBe(true);
  server.kill("SIGTERM");
  await server.ended;
  expect(await countOpenRuns(database)).toBe(0);
  expect(await checkTalk(database, talkers)).toEqual([]);
  for (const [defect, statement] of Object.entries(defects)) {
    const copy = createSqliteDatabase(database.address);
    {
      using file = new DatabaseSync(copy.address, { enableForeignKeyConstraints: false });
      expect(Number(file.prepare(statement).run().changes), defect).toBeGreaterThan(0);
    }
    const problems = await checkTalk(copy, copyTalkers(talkers));
    await copy.remove();
    expect(problems, defect).not.toEqual([]);
  }
});

/** The check notes down what it finds: each looks with fresh eyes. */
function copyTalkers(talkers: Parameters<typeof checkTalk>[1]) {
  return talkers.map((talker) => ({ ...talker, said: talker.said.map((said) => ({ ...said })) }));
}
