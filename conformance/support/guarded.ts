/**
 * Runs a server for tests so that it never outlives them. A shell stands between: it waits for a word on a pipe, and the
 * pipe also ends when the test process dies, however it dies. Ctrl-C does not reach the server, it is in its own group.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The word is the signal to end with; the end of the pipe means "nobody wants this any more", so the folder goes too. */
const GUARD = `
folder=$1; shift
"$@" < /dev/null & server=$!
read signal
kill -"\${signal:-INT}" "$server"
wait "$server"
[ -n "$signal" ] || rm -rf "$folder"
`;

export type Identity = { uid?: number; gid?: number };

export type Guarded = {
  /** Ends the server with a signal and keeps its folder; without one, ends it and removes the folder. */
  end(signal?: "INT" | "QUIT" | "KILL"): Promise<void>;
};

/** Whom servers run as: PostgreSQL refuses root, so root lends them the user nobody. */
export function findIdentity(): Identity {
  if (process.getuid?.() !== 0) return {};
  const ask = (flag: string) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout);
  return { uid: ask("-u"), gid: ask("-g") };
}

/** A new folder of that identity. Root's own temporary folder may be closed to others, /tmp never is. */
export function makeFolder(name: string, { uid, gid }: Identity): string {
  const folder = mkdtempSync(join(uid === undefined ? tmpdir() : "/tmp", `memoir-${name}-`));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** Starts a server and waits until `isReady`; if that takes too long, throws with the end of the server's log. */
export async function startGuarded(
  command: string[],
  options: { folder: string; identity: Identity; isReady: () => Promise<boolean> },
): Promise<Guarded> {
  const { folder, identity, isReady } = options;
  const log = openSync(join(folder, "log"), "a");
  const child = spawn("/bin/sh", ["-c", GUARD, "guard", folder, ...command], {
    ...identity,
    cwd: folder,
    detached: true,
    stdio: ["pipe", log, log],
  });
  closeSync(log);
  const ended = once(child, "exit");
  const end = async (signal?: string) => {
    child.stdin?.end(signal && `${signal}\n`);
    await ended;
  };
  const deadline = Date.now() + 60_000;
  while (!(await isReady())) {
    if (Date.now() < deadline && isRunning(child)) continue;
    const words = readFileSync(join(folder, "log"), "utf8").trim().split("\n").slice(-5).join("\n");
    await end();
    throw new Error(`${command[0]} did not start:\n${words}`);
  }
  return { end };
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
