/** The check of the crash tests is only worth something if it notices: here things go missing on purpose. */
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test, vi } from "vitest";
import { check } from "./checking.ts";
import { createSqliteDatabase, type Database } from "./database.ts";
import { startMemoir } from "./process.ts";
import { createScene, makeSharedBlocks, type Scene, workTogether } from "./scene.ts";

let scene: Scene;

beforeAll(async () => {
  scene = createScene(createSqliteDatabase(), 7);
  const server = startMemoir({ database: scene.database.address });
  const url = await server.ready;
  await makeSharedBlocks(scene, url);
  const stop = new AbortController();
  const working = workTogether(scene, [url], stop.signal);
  await vi.waitUntil(() => scene.clients.every((client) => client.acknowledged > 30), { timeout: 120_000 });
  stop.abort();
  await working;
  server.kill("SIGTERM");
  await server.ended;
  return scene.database.remove;
});

test("a database that nobody touched is in order", async () => {
  expect(await check(scene.database, scene.clients, scene.shared)).toMatchObject({ problems: [] });
});

/** What is done to the database, and what the check must say. */
const losses: [name: string, statement: string, complaint: RegExp][] = [
  ["an agent", "delete from agent where id = (select max(id) from agent)", /agents c\d+-a\d+: .*found nothing/],
  [
    "a block",
    "delete from block where id = (select max(id) from block where label <> 'shared-1')",
    /blocks c\d+-b\d+: /,
  ],
  ["an identity", "delete from identity where id = (select max(id) from identity)", /identities c\d+-i\d+: /],
  ["a conversation", "delete from conversation where id = (select max(id) from conversation)", /default conversations/],
  ["a system message", "delete from message where id = (select max(id) from message)", /has no system message/],
  ["a tool of an agent", "delete from agent_tool where agent_id = (select max(id) from agent)", /has 0 tools/],
  ["one of two tags", "delete from agent_tag where tag = (select max(tag) from agent_tag)", / tagged /],
  ["a link", "delete from agent_block where agent_id = (select max(agent_id) from agent_block)", /"labels":\[\]/],
  ["a version", "delete from block_version where version = 2", /is at version \d+ and has \d+ in its history/],
  [
    "the text of a block",
    "update block set value = 'x' where id = (select max(id) from block)",
    /differs from its last/,
  ],
  [
    "the last version of a shared block, without a trace",
    `delete from block_version where block_id = (select id from block where label = 'shared-1') and version > 1;
     update block set value = 'shared-1', version = 1 where label = 'shared-1'`,
    /shared-1 lost the acknowledged text/,
  ],
  ["a referenced row", "pragma foreign_keys = off; delete from agent", /agent_block has agent_id .* does not exist/],
];

test.for(losses)("it notices the loss of %s", async ([, statement, complaint]) => {
  const copy: Database = createSqliteDatabase(scene.database.address);
  const database = new DatabaseSync(copy.address);
  database.exec(statement);
  database.close();
  const { problems } = await check(copy, structuredCopy(scene.clients), scene.shared);
  await copy.remove();
  expect(problems.join("\n")).toMatch(complaint);
});

/** The check settles clients with what it found; the next case must not build on that. */
function structuredCopy(clients: Scene["clients"]): Scene["clients"] {
  return clients.map((client) => ({ ...client, world: structuredClone(client.world), problems: [] }));
}
