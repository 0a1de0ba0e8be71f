/** Starts what a bench measures: the built server on a fresh database, and the yardstick. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isBuilt } from "../../scripts/build-state.cjs";
import { ROOT } from "../../scripts/install.cjs";
import { createPostgresDatabase, createSqliteDatabase, type Database } from "../crash/database.ts";
import { node, type ServerProcess, startMemoir } from "../crash/process.ts";
import { hasPostgres, type Service, startPostgres } from "../support/services.ts";

export type Dialect = "sqlite" | "postgres";

/** Something that answers on a port, and can be ended. */
export type Target = { port: number; pid: number; end(): Promise<void> };

export type BenchServer = Target & { url: string; process: ServerProcess };

const loopDelay = pathToFileURL(join(import.meta.dirname, "loop-delay.ts")).href;
const program = join(ROOT, "packages", "cli", "bin", "memoir.cjs");
let postgres: Promise<Service> | undefined;

/** A bench of yesterday's build would say nothing about today's source. */
export function buildIfNeeded(): void {
  if (isBuilt()) return;
  execFileSync(node, [join(ROOT, "scripts", "build.ts")], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

/** PostgreSQL is fetched by `npm test`; without it the lines on SQLite remain. */
export function listDialects(): Dialect[] {
  return hasPostgres() ? ["sqlite", "postgres"] : ["sqlite"];
}

export async function createDatabase(dialect: Dialect): Promise<Database> {
  if (dialect === "sqlite") return createSqliteDatabase();
  // One that keeps what it acknowledged, as ours does.
  postgres ??= startPostgres({ fsync: true });
  return await createPostgresDatabase((await postgres).url);
}

/** The server as it is installed. With `isWatched`, SIGUSR2 makes it say how its event loop does. */
export function startBuilt(database: Database, isWatched = false, env: NodeJS.ProcessEnv = {}): ServerProcess {
  const command = [node, ...(isWatched ? ["--import", loopDelay] : []), program];
  return startMemoir({ database: database.address, command, env });
}

/** On a fresh database, which goes with it. */
export async function startServer(
  dialect: Dialect,
  isWatched = false,
  env: NodeJS.ProcessEnv = {},
): Promise<BenchServer> {
  const database = await createDatabase(dialect);
  const process = startBuilt(database, isWatched, env);
  const url = await process.ready;
  const end = async () => {
    process.kill("SIGTERM");
    await process.ended;
    await database.remove();
  };
  return { url, port: Number(new URL(url).port), pid: await process.pid, process, end };
}

export async function startEcho(): Promise<Target> {
  const child = spawn(node, [join(import.meta.dirname, "echo.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  const end = async () => {
    child.stdin.end();
    await once(child, "exit");
  };
  return { port: Number(port), pid: child.pid ?? 0, end };
}

export async function stopServices(): Promise<void> {
  await (await postgres)?.stop();
}
