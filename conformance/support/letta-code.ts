/**
 * letta-code without its terminal: commands that end by themselves, and sessions in which lines of JSON go both ways. Each
 * server gets an empty home and project folder.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished, type TestContext } from "vitest";
import { findForeign } from "./foreign-modules.ts";
import { type Ended, outsideEnvironment, runOutside } from "./outside.ts";

/** A line of a session. */
export type Line = Record<string, unknown> & { type: string };
/** What it asks of whoever holds the session: whether a tool may run, or to run one. */
export type Question = Record<string, unknown> & { subtype: string; tool_name: string; tool_call_id: string };
/** Undefined: it is left waiting. */
export type Answerer = (question: Question) => Record<string, unknown> | undefined;

export interface LettaCode {
  /** Where its tools work. */
  readonly project: string;
  run(...words: readonly string[]): Promise<Ended>;
  /** The same; what is printed is JSON. */
  ask<Answer>(...words: readonly string[]): Promise<Answer>;
  open(answer: Answerer, ...words: readonly string[]): Promise<Session>;
}

export interface Session {
  /** Everything printed so far. */
  readonly lines: readonly Line[];
  /** As it introduces itself. */
  readonly start: Line;
  /** Says something and waits for the end of the turn. */
  say(text: string): Promise<Line>;
  /** Says something and waits for nothing. */
  put(text: string): void;
  /** Asks the program itself for something. */
  control<Answer = Record<string, unknown>>(request: Record<string, unknown>): Promise<Answer>;
  waitFor(matches: (line: Line) => boolean): Promise<Line>;
  /** Ends it as it wants to be ended. */
  close(): Promise<void>;
  kill(): Promise<void>;
}

export function installLettaCode(context: TestContext, url: string): LettaCode {
  const program = findForeign(context, "@letta-ai", "letta-code", "letta.js");
  const home = makeFolder("home");
  const project = makeFolder("project");
  const env = {
    HOME: home,
    USERPROFILE: home,
    LETTA_BASE_URL: url,
    LETTA_API_KEY: "any",
    LETTA_CODE_TELEM: "0",
    DISABLE_AUTOUPDATER: "1",
  };
  const run = (...words: readonly string[]) => runOutside(process.execPath, [program, ...words], { cwd: project, env });
  return {
    project,
    run,
    async ask(...words) {
      const { status, stdout, stderr } = await run(...words);
      if (status !== 0) throw new Error(`letta ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
      return JSON.parse(stdout);
    },
    open: (answer, ...words) => openSession(program, { project, env, answer }, words),
  };
}

function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `memoir-letta-code-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Place {
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly answer: Answerer;
}

async function openSession(program: string, place: Place, words: readonly string[]): Promise<Session> {
  const format = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
  const child = spawn(process.execPath, [program, ...format, ...words], {
    cwd: place.project,
    env: { ...outsideEnvironment(), ...place.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal);
    await ended;
  };
  const ended = once(child, "close").then(() => {
    for (const { fail } of waiting) fail(new Error(`letta-code ended:\n${JSON.stringify(lines)}\n${errors.join("")}`));
  });
  onTestFinished(() => kill());
  const errors: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (part: string) => errors.push(part));
  child.stdin.on("error", () => {});

  const lines: Line[] = [];
  const waiting = new Set<{
    matches: (line: Line) => boolean;
    found: (line: Line) => void;
    fail: (error: Error) => void;
  }>();
  const waitFor = (matches: (line: Line) => boolean) => {
    const line = new Promise<Line>((found, fail) => waiting.add({ matches, found, fail }));
    // Whoever waits is told; that nobody waits any more is no failure.
    line.catch(() => {});
    return line;
  };
  const write = (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`);
  createInterface({ input: child.stdout }).on("line", (text) => {
    if (!text.startsWith("{")) return;
    const line: Line = JSON.parse(text);
    lines.push(line);
    const response = line.type === "control_request" ? answerTo(line, place.answer) : undefined;
    if (response) write({ type: "control_response", response });
    for (const waiter of waiting) {
      if (!waiter.matches(line)) continue;
      waiting.delete(waiter);
      waiter.found(line);
    }
  });
  const put = (content: string) => void write({ type: "user", message: { role: "user", content } });
  const start = await waitFor(({ type, subtype }) => type === "system" && subtype === "init");
  return {
    lines,
    start,
    put,
    waitFor,
    async say(text) {
      const result = waitFor(({ type }) => type === "result");
      put(text);
      return await result;
    },
    async control(request) {
      const id = randomUUID();
      const answered = waitFor(({ type, response }) => type === "control_response" && idOf(response) === id);
      write({ type: "control_request", request_id: id, request });
      const { response } = (await answered) as unknown as { response: { response: never } };
      return response.response;
    },
    async close() {
      child.stdin.end();
      await ended;
    },
    kill: () => kill(),
  };
}

const idOf = (response: unknown) => (response as { request_id: string }).request_id;

function answerTo(line: Line, answer: Answerer): Record<string, unknown> | undefined {
  const request = line.request as Question;
  const input = answer(request);
  if (!input) return undefined;
  if (request.subtype === "can_use_tool") return { subtype: "success", request_id: line.request_id, response: input };
  const { tool_call_id } = request;
  return { subtype: "external_tool_result", request_id: line.request_id, tool_call_id, is_error: false, ...input };
}
