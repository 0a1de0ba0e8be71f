/**
 * A program that was started with descriptor 200 on a folder and 201 on a file, runs tools and an installer, and prints what
 * each of them could do with the two. One line of JSON.
 */
import { ContainerSandbox } from "../sandbox/containers/container-sandbox.ts";
import { LocalSandbox } from "../sandbox/local-sandbox.ts";
import { runInstaller } from "../sandbox/packages/install-program.ts";
import { readRequirements } from "../sandbox/packages/requirements.ts";
import type { Sandbox, SandboxLanguage } from "../sandbox/sandbox.ts";
import { makeFakeDocker } from "./fake-docker.ts";

const sources: Readonly<Record<SandboxLanguage, string>> = {
  python: `
import os

def probe():
    def read_folder():
        inside = os.open("secret.txt", os.O_RDONLY, dir_fd=200)
        return os.read(inside, 100).decode()

    return [attempt(each) for each in (read_folder, lambda: os.write(201, b"written from inside"))]

def attempt(work):
    try:
        return "BREACH " + str(work())
    except OSError as error:
        return error.strerror
`,
  typescript: `
import { fstatSync, writeSync } from "node:fs";

export function probe() {
  return [() => fstatSync(200).isDirectory(), () => writeSync(201, "written from inside")].map((work) => {
    try {
      return "BREACH " + work();
    } catch (error) {
      return error.code;
    }
  });
}
`,
};

/** Where the two lead in an installer. */
const leads = 'for (const each of [200, 201]) console.log(require("node:fs").readlinkSync("/proc/self/fd/" + each))';

async function probe(sandbox: Sandbox, language: SandboxLanguage): Promise<unknown> {
  const source = sources[language];
  const job = { orgId: "org", language, name: "probe", source, args: {}, environment: {}, timeoutMs: 20_000 };
  const result = await sandbox.run(job);
  return result.status === "success" ? result.value : `${result.type}: ${result.message}`;
}

async function probeAll(name: string, sandbox: Sandbox): Promise<[string, unknown][]> {
  const seen: [string, unknown][] = [];
  try {
    for (const language of ["python", "typescript"] as const) {
      // The first call of a pool is a cold one, too.
      for (const turn of ["first", "second"]) {
        seen.push([`${name}, ${language}, ${turn}`, await probe(sandbox, language)]);
      }
    }
  } finally {
    await sandbox.close();
  }
  return seen;
}

async function probeInstaller(): Promise<[string, unknown][]> {
  const lines: string[] = [];
  const program = { title: "pip", program: process.execPath, args: ["-e", leads], environment: {}, settings: {} };
  const signal = new AbortController().signal;
  const onLine = (line: string) => void lines.push(line);
  const order = { name: "probe", requirements: readRequirements("python", ["six"]), folder: "/", scratch: "/" };
  await runInstaller({ ...program, folder: "/" }, { ...order, signal, onLine });
  return [["installer", lines]];
}

const docker = makeFakeDocker(["python:3.13-slim", "node:24-slim"]);
try {
  const walled = process.argv[2] === "walled" ? [await probeAll("pool", new LocalSandbox())] : [];
  const cold = process.argv[2] === "walled" ? [await probeAll("cold", new LocalSandbox({ poolSize: 0 }))] : [];
  const open = new LocalSandbox({ isUnsafeAllowed: true, hasIsolation: false });
  const seen = [
    ...walled,
    ...cold,
    await probeAll("without walls", open),
    await probeAll("container", new ContainerSandbox({ kind: "docker", program: docker.program })),
    await probeInstaller(),
  ].flat();
  process.stdout.write(`${JSON.stringify(Object.fromEntries(seen))}\n`);
} finally {
  docker.remove();
}
