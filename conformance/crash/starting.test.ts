/** How the server starts, refuses to start, and stops: as a process, seen from its terminal and its port. */
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect, onTestFinished, type TestContext, test } from "vitest";
import {
  createDatabase,
  type DialectName,
  dialects,
  testEncryptionKey,
} from "../../packages/core/src/testing/databases.ts";
import { ROOT } from "../../scripts/install.cjs";
import { makeEmptyFolder } from "../support/outside.ts";
import { runMemoir, type ServerProcess, startServerProcess } from "../support/server.ts";

const folder = makeEmptyFolder("starting");
const newDatabase = () => join(folder, `${crypto.randomUUID()}.db`);

/** A start that must fail: one line for the operator, no stack, and a status that scripts notice. */
async function refuse(words: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { status, stdout, stderr } = await runMemoir(["serve", "--port", "0", ...words], env);
  const lines = stderr.trim().split("\n");
  expect([status, stdout, lines.length], stderr).toEqual([1, "", 1]);
  expect(lines[0]).toMatch(/^memoir: \S.*[.?]$/);
  return lines[0] ?? "";
}

describe("a start that cannot succeed says why in one sentence", () => {
  test("the port is taken", async (context) => {
    const { url } = await startServerProcess("sqlite", context);
    const { port } = new URL(url);
    const sentence = await refuse(["--port", port, "--database", newDatabase()]);
    expect(sentence).toContain(`port ${port} is taken by a Memoir that is running at ${url}`);
    expect((await fetch(`${url}/v1/health/`)).status).toBe(200);
  });

  test("another program has the port", async () => {
    const other = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const sentence = await refuse(["--port", String(port), "--database", newDatabase()]);
    expect(sentence).toContain(`port ${port} is taken: stop the program that listens there`);
  });

  test("another server is using the SQLite file", async (context) => {
    const { url, database, process: first } = await startServerProcess("sqlite", context);
    const sentence = await refuse(["--database", database], { MEMOIR_ENCRYPTION_KEY: testEncryptionKey });
    expect(sentence).toContain(`another Memoir server (process ${first.pid}, ${url}) is using ${database}`);
    expect((await fetch(`${url}/v1/health/`)).status).toBe(200);
  });

  test("a database that Memoir has no driver for", async () => {
    expect(await refuse(["--database", "mysql://localhost/memoir"])).toContain("no driver for mysql://");
    expect(existsSync(join(ROOT, "mysql:"))).toBe(false);
  });

  test("the folder cannot be written to", async () => {
    // Root may write into any folder, but nobody into a file.
    writeFileSync(join(folder, "a-file"), "");
    const sentence = await refuse(["--database", join(folder, "a-file", "memoir.db")]);
    expect(sentence).toContain(`cannot write to ${join(folder, "a-file")}`);
    expect(sentence).toContain("--database");
  });

  test("the database is a folder", async () => {
    mkdirSync(join(folder, "a-folder"));
    await refuse(["--database", join(folder, "a-folder")]);
  });

  test("the file is no database", async () => {
    const path = newDatabase();
    writeFileSync(path, "not a database at all, but long enough to look at ".repeat(100));
    await refuse(["--database", path]);
  });

  test.for(dialects)("%s: the database was made by a newer version", async (dialect, context) => {
    const server = await startServerProcess(dialect, context);
    expect(await server.end()).toBe(0);
    await pretendNewer(dialect, server.database);
    const sentence = await refuse(["--database", server.database], { MEMOIR_ENCRYPTION_KEY: testEncryptionKey });
    expect(sentence).toContain("newer");
    expect(sentence).toContain("9999_from_the_future");
  });

  test("PostgreSQL without an encryption key", async (context) => {
    const database = await createDatabase("postgres", context);
    expect(await refuse(["--database", database])).toContain("MEMOIR_ENCRYPTION_KEY");
  });

  test("PostgreSQL that is not there", async () => {
    const database = "postgres://memoir:hunter2@127.0.0.1:9/memoir";
    const sentence = await refuse(["--database", database], { MEMOIR_ENCRYPTION_KEY: testEncryptionKey });
    expect(sentence).not.toContain("hunter2");
  });

  test("a setting that makes no sense", async () => {
    expect(await refuse(["--log", "loud"])).toContain("--log must be one of");
    expect(await refuse(["--prot", "1"])).toContain("did you mean --port?");
  });

  test("an address that is not this machine's", async () => {
    const words = ["--database", newDatabase(), "--insecure", "--host", "192.0.2.1"];
    expect(await refuse(words)).toContain("192.0.2.1 is not an address of this machine");
  });
});

describe("beyond this machine", () => {
  test("it does not listen without a password", async () => {
    const sentence = await refuse(["--database", newDatabase()], { MEMOIR_HOST: "0.0.0.0" });
    expect(sentence).toContain("0.0.0.0");
    expect(sentence).toContain("MEMOIR_PASSWORD");
    expect(sentence).toContain("--insecure");
  });

  test.for([
    { way: "--insecure", words: ["--insecure"], status: 200 },
    { way: "a password", words: ["--password", "correct horse"], status: 401 },
  ])("$way makes it listen", async ({ words, status }, context) => {
    const env = { MEMOIR_HOST: "0.0.0.0" };
    const { url } = await startServerProcess("sqlite", context, { words, env });
    const address = url.replace("0.0.0.0", "127.0.0.1");
    expect((await fetch(`${address}/v1/agents/`)).status).toBe(status);
  });
});

describe("what it prints", () => {
  test("where it runs, where the data is, which models were found, and what to try next", async (context) => {
    const { url, database, output, end } = await startServerProcess("sqlite", context, {
      env: { OPENAI_API_KEY: "sk-never-shown" },
    });
    await expect.poll(output).toContain("Stop with Ctrl-C");
    expect(output()).toContain(`running at ${url}`);
    expect(output()).toContain(database);
    expect(output()).toContain("OPENAI_API_KEY is set");
    expect(output()).toContain(`curl ${url}/v1/agents/`);
    expect(output()).not.toContain("sk-never-shown");
    expect(await end("SIGINT")).toBe(0);
  });

  test("what it suggests to try works as printed", async (context) => {
    const { output } = await startServerProcess("sqlite", context, { env: { OPENAI_API_KEY: "x" } });
    await expect.poll(output).toContain("Stop with Ctrl-C");
    const [, address = "", body = ""] = /curl (\S+)[\s\S]*?-d '([^']*)'/.exec(output()) ?? [];
    const headers = { "content-type": "application/json" };
    const answer = await fetch(address, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
  });

  test("a made-up password, where one is wanted and none was given", async (context) => {
    const { url, output } = await startServerProcess("sqlite", context, { env: { LETTA_SERVER_SECURE: "true" } });
    await expect.poll(output).toMatch(/Password {3}\S+/);
    const [, password] = /Password {3}(\S+)/.exec(output()) ?? [];
    expect((await fetch(`${url}/v1/agents/`)).status).toBe(401);
    const headers = { authorization: `Bearer ${password}` };
    expect((await fetch(`${url}/v1/agents/`, { headers })).status).toBe(200);
  });

  test("a warning about a setting it does not know", async (context) => {
    const { output } = await startServerProcess("sqlite", context, { env: { MEMOIR_PROT: "1" } });
    expect(output()).toContain("MEMOIR_PROT is not a setting of Memoir; did you mean MEMOIR_PORT?");
  });
});

describe("stopping", () => {
  test.for(dialects)("%s: SIGTERM lets a request under way finish, then ends with 0", async (dialect, context) => {
    const server = await startServerProcess(dialect, context);
    const body = JSON.stringify({ label: "late", value: "but in time" });
    const request = await beginRequest(server, body);
    server.process.kill("SIGTERM");
    await expect.poll(() => isListening(server)).toBe(false);
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await server.ended).toBe(0);
    expect(await readValue(dialect, context, server)).toBe("but in time");
  });

  test("a second signal, a while after the first, ends it at once", async (context) => {
    const server = await startServerProcess("sqlite", context);
    await beginRequest(server, JSON.stringify({ label: "never", value: "sent" }));
    server.process.kill("SIGTERM");
    await expect.poll(() => isListening(server)).toBe(false);
    // One that follows the first closely is its echo: a terminal and a launcher both pass it on.
    await sleep(700);
    expect(await server.end("SIGTERM")).toBe(143);
  });

  test("what was written is there at the next start", async (context) => {
    const first = await startServerProcess("sqlite", context);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ model: "openai/gpt-4o-mini", name: "Kept", secrets: { TOKEN: "s3cret" } });
    await fetch(`${first.url}/v1/agents/`, { method: "POST", headers, body });
    expect(await first.end()).toBe(0);
    const env = { MEMOIR_SHOW_SECRETS: "true" };
    const second = await startServerProcess("sqlite", context, { database: first.database, env });
    const agents = (await (await fetch(`${second.url}/v1/agents/`)).json()) as object[];
    expect(agents).toEqual([
      expect.objectContaining({ name: "Kept", secrets: [expect.objectContaining({ key: "TOKEN", value: "s3cret" })] }),
    ]);
  });
});

/** Sends the head of a request, waits until the server has read it, and keeps the body back. */
async function beginRequest({ url }: ServerProcess, body: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  const closed = new Promise<void>((settle) => socket.on("close", () => settle()));
  socket.on("error", () => {});
  socket.write(
    `POST /v1/blocks/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  await expect.poll(() => text).toContain("100 Continue");
  return {
    async finish() {
      text = "";
      socket.write(body);
      await closed;
      return text;
    },
  };
}

function isListening({ url }: ServerProcess): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((settle) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      settle(true);
    });
    socket.on("error", () => settle(false));
  });
}

async function readValue(dialect: DialectName, context: TestContext, { database }: ServerProcess): Promise<unknown> {
  const { url } = await startServerProcess(dialect, context, { database });
  const [block] = (await (await fetch(`${url}/v1/blocks/?label=late`)).json()) as { value: string }[];
  return block?.value;
}

async function pretendNewer(dialect: DialectName, database: string): Promise<void> {
  const statement = `insert into memoir_migration (name, checksum, program, applied_at) values ('9999_from_the_future', 'x', '99.0.0', 0)`;
  if (dialect === "sqlite") {
    const file = new DatabaseSync(database);
    file.exec(statement);
    file.close();
    return;
  }
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(statement);
  await client.end();
}
