/**
 * `memoir doctor`: looks at the machine and the database and says what is missing and how to get it; with an agent, looks
 * at that one.
 */
import { spawnSync } from "node:child_process";
import { type DatabaseReport, examineDatabase, isMemoirError, version } from "@memoir/core";
import { findProviders, readConfig, type ServerConfig } from "@memoir/server";
import type { Command } from "../command.ts";
import { doctorAgent } from "./doctor-agent.ts";

interface Finding {
  readonly level: "ok" | "note" | "problem";
  readonly text: string;
}

const marks = { ok: "ok  ", note: "note", problem: "BAD " } as const;

export const doctor: Command = {
  name: "doctor",
  summary: "check this machine, the database and its settings, or one agent",
  help: `memoir doctor: look at this machine and at the database, change nothing.
memoir doctor AGENT [--fix]: look at one agent, named by its id or its name.

It takes the settings of memoir serve, after AGENT if there is one. Without an agent
it says what is in order, what is missing and how to get it, with --json as JSON, and
exits with 1 when something would keep Memoir from working.

With an agent it explains what an import or an old database left behind: results
without a call, calls without a result, empty messages, a missing system message,
approvals nobody can give any more, runs nobody can work on. With --fix it mends
them, all at once; messages are never changed or deleted. It exits with 0 when the
agent is in order or was mended, with 1 when something remains. A server may be
running on the same database meanwhile.

  memoir doctor agent-0199… --database ./team.db
  memoir doctor agent-0199… --fix --database ./team.db`,
  run: runDoctor,
};

async function runDoctor(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  if (first !== undefined && !first.startsWith("-")) return await doctorAgent(first, rest);
  const isJson = words.includes("--json");
  const { config, warnings } = readConfig(
    words.filter((word) => word !== "--json"),
    process.env,
  );
  const findings: Finding[] = [
    { level: "ok", text: `Memoir ${version} on Node ${process.versions.node}, ${process.platform} ${process.arch}` },
    ...warnings.map((text): Finding => ({ level: "note", text })),
    ...(await examineData(config)),
    ...(await examineProviders()),
    examineProgram("bwrap", "--version", "bubblewrap, which custom tools run in", "apt install bubblewrap"),
    examineProgram("python3", "--version", "Python, for tools written in it", "install Python 3.9 or later"),
  ];
  const problems = findings.filter(({ level }) => level === "problem").length;
  if (isJson) {
    console.log(JSON.stringify({ ok: problems === 0, findings }, null, 2));
    return problems === 0 ? 0 : 1;
  }
  for (const { level, text } of findings) console.log(`${marks[level]}  ${text}`);
  console.log(
    problems === 0 ? "\nNothing keeps Memoir from working." : `\n${problems} to mend before Memoir can work.`,
  );
  return problems === 0 ? 0 : 1;
}

async function examineData(config: ServerConfig): Promise<Finding[]> {
  try {
    return describeDatabase(await examineDatabase(config), config);
  } catch (error) {
    const reason = isMemoirError(error) || error instanceof Error ? error.message : String(error);
    return [{ level: "problem", text: `database: ${reason}` }];
  }
}

function describeDatabase(report: DatabaseReport, { encryptionKey }: ServerConfig): Finding[] {
  const needsKey = report.kind === "postgres" && !encryptionKey;
  const key: Finding[] = needsKey
    ? [{ level: "problem", text: "MEMOIR_ENCRYPTION_KEY is not set; with PostgreSQL it must be: a long random text" }]
    : [];
  if (!report.facts) {
    return [{ level: "ok", text: `database: ${report.location} does not exist yet; the first start makes it` }, ...key];
  }
  const { facts, pending } = report;
  return [
    { level: "ok", text: `database: ${report.location}, ${facts.version}, revision ${facts.revision ?? "none"}` },
    { level: "ok", text: `durability: ${facts.durability}` },
    ...(pending.length > 0
      ? [{ level: "note", text: `the next start brings it from there to ${pending.at(-1)}` } as const]
      : []),
    ...facts.problems.map((text): Finding => ({ level: "problem", text: `database: ${text}` })),
    ...key,
  ];
}

async function examineProviders(): Promise<Finding[]> {
  const providers = await findProviders(process.env);
  return providers.map(({ title, found, detail }) => ({
    level: found ? "ok" : "note",
    text: `${title}: ${found ? detail : `not found; ${detail}`}`,
  }));
}

function examineProgram(name: string, flag: string, purpose: string, remedy: string): Finding {
  const { status, stdout } = spawnSync(name, [flag], { encoding: "utf8", timeout: 5_000 });
  if (status === 0) return { level: "ok", text: `${purpose}: ${stdout.trim().split("\n")[0]}` };
  return { level: "note", text: `${purpose}: not found; ${remedy}` };
}
