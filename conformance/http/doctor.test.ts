/** `memoir doctor` and the help texts, as somebody reads them in a terminal. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { settings } from "@memoir/server";
import { expect, test } from "vitest";
import { createDatabase } from "../../packages/core/src/testing/databases.ts";
import { runMemoir, startServerProcess } from "../support/server.ts";

test("doctor says that the first start makes the database, and makes nothing itself", async (context) => {
  const database = await createDatabase("sqlite", context);
  const { status, stdout } = await runMemoir(["doctor", "--database", database]);
  expect(status).toBe(0);
  expect(stdout).toContain(`database: ${database} does not exist yet; the first start makes it`);
  expect(stdout).toMatch(/ok {4}Memoir \d+\.\d+\.\d+ on Node 2[4-9]/);
  expect(stdout).toContain("Nothing keeps Memoir from working.");
  expect(existsSync(database)).toBe(false);
});

test("doctor names the revision and the durability of a database and leaves it as it was", async (context) => {
  const server = await startServerProcess("sqlite", context);
  await server.end();
  const before = readFileSync(server.database);
  const files = readdirSync(dirname(server.database)).sort();
  const { status, stdout } = await runMemoir(["doctor", "--database", server.database]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/database: .*SQLite 3\.\d+\.\d+, revision \d{4}_\w+/);
  expect(stdout).toContain("synchronous full: survives a power cut");
  expect(readFileSync(server.database)).toEqual(before);
  expect(readdirSync(dirname(server.database)).sort()).toEqual(files);
});

test("doctor finds what would keep Memoir from working, and says how to mend it", async (context) => {
  const database = await createDatabase("sqlite", context);
  writeFileSync(database, "this is a letter, not a database".repeat(200));
  const broken = await runMemoir(["doctor", "--database", database]);
  expect(broken.status).toBe(1);
  expect(broken.stdout).toMatch(/BAD {3}database: .*/);
  expect(broken.stdout).toContain("1 to mend before Memoir can work.");
  const postgres = await createDatabase("postgres", context);
  const keyless = await runMemoir(["doctor", "--database", postgres]);
  expect(keyless.status).toBe(1);
  expect(keyless.stdout).toMatch(/BAD {3}.*MEMOIR_ENCRYPTION_KEY/);
});

test("doctor says which programs and providers are missing and how to get them", async (context) => {
  const database = await createDatabase("sqlite", context);
  const { stdout } = await runMemoir(["doctor", "--database", database], { PATH: "/nowhere" });
  expect(stdout).toContain("bubblewrap, which custom tools run in: not found; apt install bubblewrap");
  expect(stdout).toContain("OpenAI: not found; set OPENAI_API_KEY and start again");
});

test("help teaches: what there is, what to type next, and every setting with its variable", async () => {
  const overview = await runMemoir(["--help"]);
  expect(overview.status).toBe(0);
  expect(overview.stdout).toContain("memoir serve");
  expect(overview.stdout).toContain("memoir doctor");
  const serve = await runMemoir(["help", "serve"]);
  for (const { variables } of Object.values(settings)) expect(serve.stdout).toContain(variables[0]);
  const unknown = await runMemoir(["sreve"]);
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toContain('there is no command "sreve"; did you mean memoir serve?');
  const topic = await runMemoir(["help", "nope"]);
  expect([topic.status, topic.stdout, topic.stderr]).toEqual([1, "", expect.stringContaining('no command "nope".')]);
  const secrets = await runMemoir(["secrets"]);
  expect([secrets.status, secrets.stderr]).toEqual([1, expect.stringContaining("say what to do with the secrets")]);
});

test("doctor speaks JSON to programs", async (context) => {
  const database = await createDatabase("sqlite", context);
  const { status, stdout } = await runMemoir(["doctor", "--json", "--database", database]);
  const report = JSON.parse(stdout);
  expect([status, report.ok]).toEqual([0, true]);
  expect(report.findings[0]).toEqual({ level: "ok", text: expect.stringContaining("Memoir ") });
  const agent = await runMemoir(["doctor", "agent-1", "--json", "--database", database]);
  expect([agent.status, agent.stderr]).toEqual([1, expect.stringContaining("has no --json")]);
});
