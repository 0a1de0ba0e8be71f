/** `memoir secrets rotate`, as operators use it. */
import { expect, test } from "vitest";
import { testEncryptionKey } from "../../packages/core/src/testing/databases.ts";
import { runMemoir, startServerProcess } from "../support/server.ts";

const shown = { MEMOIR_SHOW_SECRETS: "true" };
const body = JSON.stringify({ model: "memoir/demo", secrets: { TOKEN: "s3cret" } });

const create = (url: string) =>
  fetch(`${url}/v1/agents/`, { method: "POST", headers: { "content-type": "application/json" }, body });

async function readSecrets(url: string): Promise<string[]> {
  const agents = (await (await fetch(`${url}/v1/agents/`)).json()) as { secrets: { value: string }[] }[];
  return agents.flatMap(({ secrets }) => secrets.map(({ value }) => value));
}

test("a key of the operator's is replaced by another", async (context) => {
  const first = await startServerProcess("sqlite", context);
  await create(first.url);
  const { database } = first;
  expect(await first.end()).toBe(0);
  const unknown = await runMemoir(["secrets", "show"]);
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining("memoir secrets rotate")]);
  const words = ["secrets", "rotate", "--database", database];
  const refused = await runMemoir(words, { MEMOIR_ENCRYPTION_KEY: "new" });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("MEMOIR_ENCRYPTION_KEY_OLD")]);
  const keys = { MEMOIR_ENCRYPTION_KEY: "new", MEMOIR_ENCRYPTION_KEY_OLD: testEncryptionKey };
  expect(await runMemoir(words, keys)).toMatchObject({ status: 0, stdout: expect.stringContaining("new key: 1.") });
  const env = { ...shown, MEMOIR_ENCRYPTION_KEY: "new" };
  const second = await startServerProcess("sqlite", context, { database, env });
  expect(await readSecrets(second.url)).toEqual(["s3cret"]);
});

test("the key file is given a new key while the server runs, which notices nothing", async (context) => {
  const env = { ...shown, MEMOIR_ENCRYPTION_KEY: "" };
  const { url, database } = await startServerProcess("sqlite", context, { env });
  await create(url);
  expect(await runMemoir(["secrets", "rotate", "--database", database])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${database}.key`),
  });
  await create(url);
  expect(await readSecrets(url)).toEqual(["s3cret", "s3cret"]);
});
