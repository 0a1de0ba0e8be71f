/** What a function in the sandbox receives and returns, and what ends it. */

import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { needSandbox } from "../testing/sandboxes.ts";
import { LocalSandbox } from "./local-sandbox.ts";
import type { SandboxJob } from "./sandbox.ts";

const sandbox = new LocalSandbox();
afterAll(() => sandbox.close());
const base = { orgId: "org", args: {}, environment: {}, timeoutMs: 10_000 } as const;

function python(source: string, job: Partial<SandboxJob> = {}) {
  return sandbox.run({ ...base, language: "python", name: "tool", source, ...job });
}

function typescript(source: string, job: Partial<SandboxJob> = {}) {
  return sandbox.run({ ...base, language: "typescript", name: "tool", source, ...job });
}

describe("a function in Python", () => {
  test.for([
    ["a text", `"two"`, "two"],
    ["nothing", "None", null],
    ["a number", "2 + 3", 5],
    ["a number too large for JSON", "2**64", "18446744073709551616"],
    ["no number at all", `float("nan")`, "nan"],
    ["a truth", "True", true],
    ["a list", "[1, (2, 3)]", [1, [2, 3]]],
    ["a set", "{1}", [1]],
    ["a dictionary", `{"a": None, 1: {2}}`, { a: null, 1: [2] }],
    ["something of its own", "object", "<class 'object'>"],
    ["a text that no database takes", `"a\\0b\\ud800"`, "a\ufffdb\ufffd"],
  ] as const)("returns %s", async ([, expression, value], context) => {
    await needSandbox(context);
    expect(await python(`def tool(): return ${expression}`)).toMatchObject({ status: "success", value });
  });

  test("returns a dataclass, an enum, and what it awaited", async (context) => {
    await needSandbox(context);
    const source = `
import asyncio, dataclasses, enum

class Colour(enum.Enum):
    RED = "red"

@dataclasses.dataclass
class Car:
    colour: Colour

async def tool():
    await asyncio.sleep(0)
    return Car(Colour.RED)`;
    expect(await python(source)).toMatchObject({ value: { colour: "red" } });
  });

  test("gets its arguments as its annotations have them", async (context) => {
    await needSandbox(context);
    const source = `
import dataclasses, datetime, enum

class Colour(enum.Enum):
    RED = "red"

@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0

def helper(): return "here"

def tool(when: datetime.date, colour: Colour, points: List[Point], seen: set, share: float, /, *, note: Optional[str] = None):
    names = [type(each).__name__ for each in (when, colour, points[0], seen, share)]
    return names + [points[1].y, note, helper()]`;
    const args = {
      when: "2026-01-02",
      colour: "red",
      points: [
        { x: 1, y: 1 },
        { x: 1, y: 2 },
      ],
      seen: [1],
      share: 1,
      note: "n",
    };
    expect(await python(source, { args })).toMatchObject({
      value: ["date", "Colour", "Point", "set", "float", 2, "n", "here"],
    });
  });

  test("gets classes that only the schema of its arguments has", async (context) => {
    await needSandbox(context);
    const argsSchema = {
      title: "Plan",
      properties: { steps: { type: "array", items: { $ref: "#/$defs/Step" } } },
      $defs: { Step: { title: "Step", type: "object", properties: { name: { type: "string" } } } },
    };
    const source =
      "def tool(steps: List[Step]): return [type(steps[0]).__name__, steps[0].name, steps[0].model_dump()]";
    expect(await python(source, { argsSchema, args: { steps: [{ name: "one" }] } })).toMatchObject({
      value: ["Step", "one", { name: "one" }],
    });
  });

  test("takes values and names of arguments as data, whatever they say", async (context) => {
    await needSandbox(context);
    const source = "def tool(**given): return given";
    const args = { "x=1); import os; os._exit(7); (": "__import__('os')._exit(7)", __proto__: "p", class: "]" };
    expect(await python(source, { args })).toMatchObject({ status: "success", value: args });
  });

  test("is told of an argument it does not have", async (context) => {
    await needSandbox(context);
    expect(await python("def tool(a=1): return a", { args: { b: 1 } })).toMatchObject({
      status: "error",
      type: "TypeError",
      message: expect.stringContaining("unexpected keyword argument 'b'"),
    });
  });

  test("prints beside its result, and fails with its own lines", async (context) => {
    await needSandbox(context);
    const source = `
import sys

def tool():
    print("out")
    print("err", file=sys.stderr)
    raise ValueError("bad")`;
    const result = await python(source);
    expect(result).toMatchObject({ status: "error", type: "ValueError", message: "bad", stdout: ["out\n"] });
    expect(result.stderr[0]).toMatch(/^err\nTraceback .*\n {2}File "tool.py", line 7, in tool\n.*\nValueError: bad\n$/);
  });

  test.for([
    ["has no such function", "def other(): pass", "NameError"],
    ["cannot be read", "def tool(: pass", "SyntaxError"],
    ["leaves", "import sys\ndef tool(): sys.exit(3)", "SystemExit"],
    ["is ended by its author", "import os\ndef tool(): os._exit(3)", "RuntimeError"],
  ] as const)("fails when its source %s", async ([, source, type], context) => {
    await needSandbox(context);
    expect(await python(source)).toMatchObject({ status: "error", type });
  });

  test("finds its environment and nothing of ours, and no module search path of its folder", async (context) => {
    await needSandbox(context);
    const source = "import os, sys\ndef tool(): return [os.environ['KEY'], sorted(os.environ), '' in sys.path]";
    const { value } = (await python(source, { environment: { KEY: "v" } })) as unknown as {
      value: [string, string[], boolean];
    };
    expect(value[0]).toBe("v");
    expect(value[1]).toEqual(
      [
        ...["HOME", "KEY", "LANG", "MALLOC_ARENA_MAX", "NO_COLOR", "PATH"],
        ...["PWD", "PYTHONWARNINGS", "TERM", "TMPDIR", "USER"],
      ].sort(),
    );
    expect(value[2]).toBe(false);
  });

  test("has room for the threads that it may have", async (context) => {
    await needSandbox(context);
    const source = `
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

def tool():
    barrier = Barrier(40)
    with ThreadPoolExecutor(40) as pool:
        return sum(pool.map(lambda n: len(bytes(100_000)) + barrier.wait() * 0, range(40)))`;
    expect(await python(source)).toMatchObject({ status: "success", value: 4_000_000 });
  });

  test("sees its agent, and only values of blocks can be assigned", async (context) => {
    await needSandbox(context);
    const blocks = [
      { label: "human", value: "Ada", limit: 100 },
      { label: "notes", value: "none", limit: 100 },
    ];
    const agent = { id: "agent-1", state: { id: "agent-1", name: "a", memory: { blocks }, tags: ["x"] } };
    const source = `
def tool(agent_state: "AgentState", agent_id: str):
    memory = agent_state.memory
    memory.get_block("human").value += " L."
    memory.update_block_value(label="notes", value="none")
    try:
        agent_state.name = "b"
    except AttributeError:
        return [agent_id, agent_state.name, agent_state.tags, memory.list_block_labels(), memory.get_block("human").limit]`;
    expect(await python(source, { agent })).toMatchObject({
      value: ["agent-1", "a", ["x"], ["human", "notes"], 100],
      changes: [{ label: "human", value: "Ada L." }],
    });
  });
});

test("a function that makes up a thousand changes of one block has made one", async (context) => {
  await needSandbox(context);
  const agent = { id: "agent-1", state: { memory: { blocks: [{ label: "human", value: "Ada" }] } } };
  const source = `
def tool(agent_state):
    changes = [{"label": "human", "value": str(number)} for number in range(1000)] + [1, {"label": "human"}]
    type(agent_state.memory).changes = lambda _: changes`;
  expect(await python(source, { agent })).toMatchObject({ changes: [{ label: "human", value: "999" }] });
});

describe("a function in TypeScript", () => {
  test.for([
    ["a function", "function tool(a: number, b: number): number { return a + b; }"],
    ["one that is exported", "export async function tool(a: number, b: number) { return a + b; }"],
    ["an arrow", "export const tool = (a: number, b: number): number => a + b;"],
    ["the default", "export default function tool(a: number, b: number) { return a + b; }"],
    [
      "with code for types",
      "enum One { one = 1 }\nfunction tool(a: number, b: number) { return a + b + One.one - 1; }",
    ],
  ] as const)("is %s", async ([, source], context) => {
    await needSandbox(context);
    expect(await typescript(source, { args: { b: 3, a: 2 }, order: ["a", "b"] })).toMatchObject({ value: 5 });
  });

  test("gets arguments by place, with gaps where none was given, and all of them as data", async (context) => {
    await needSandbox(context);
    const source =
      "function tool(...given: unknown[]) { return given.map((each) => each === undefined ? 'gap' : each); }";
    const args = { c: { __proto__: null, x: "`$\u007bprocess.exit()}`" }, "a; process.exit()": 1 };
    expect(await typescript(source, { args, order: ["a", "b", "c", "d"] })).toMatchObject({
      value: ["gap", "gap", args.c, "gap", 1],
    });
  });

  test("fails with its own lines", async (context) => {
    await needSandbox(context);
    const result = await typescript("interface A { b: string }\n\nfunction tool() {\n  throw new TypeError('bad');\n}");
    expect(result).toMatchObject({ status: "error", type: "TypeError", message: "bad" });
    expect(result.stderr[0]).toContain("tool.mjs:4:9");
    expect(result.stderr[0]).not.toContain("[eval]");
  });

  test.for([
    ["cannot be read", "function tool( {", "SyntaxError"],
    [
      "breaks later",
      "function tool() { setTimeout(() => { throw new RangeError('late'); }); return new Promise(() => {}); }",
      "RangeError",
    ],
    ["returns what JSON does not have", "function tool() { return 1n; }", "TypeError"],
  ] as const)("fails when its source %s", async ([, source, type], context) => {
    await needSandbox(context);
    expect(await typescript(source)).toMatchObject({ status: "error", type });
  });

  test("finds its environment and nothing of ours", async (context) => {
    await needSandbox(context);
    const source = "function tool() { return [process.env.KEY, process.env.MEMOIR_TEST_POSTGRES ?? null]; }";
    expect(await typescript(source, { environment: { KEY: "v" } })).toMatchObject({ value: ["v", null] });
  });
});

describe("a call", () => {
  test("that is aborted ends at once, with all it started", async (context) => {
    await needSandbox(context);
    const aborter = new AbortController();
    const source = "import subprocess, time\ndef tool():\n  subprocess.Popen(['/bin/sleep', '4343'])\n  time.sleep(60)";
    const work = python(source, { signal: aborter.signal });
    const isRunning = () => spawnSync("ps", ["-eo", "args"]).stdout.toString().includes("sleep 4343");
    await expect.poll(isRunning).toBe(true);
    aborter.abort(new Error("cancelled"));
    await expect(work).rejects.toThrow("cancelled");
    await expect.poll(isRunning).toBe(false);
  });

  test("sees nothing of one that runs beside it", async (context) => {
    await needSandbox(context);
    const other =
      "import os, time\ndef tool():\n  open('/tmp/mine', 'w').write('x')\n  time.sleep(1)\n  return os.listdir('/tmp')";
    const look =
      "import os, time\ndef tool():\n  time.sleep(0.3)\n  return [os.listdir('/tmp'), [p for p in os.listdir('/proc') if p.isdigit()]]";
    const [one, two] = await Promise.all([python(other, { orgId: "one" }), python(look, { orgId: "two" })]);
    expect(one).toMatchObject({ value: ["mine"] });
    expect(two).toMatchObject({ value: [[], ["1", "2"]] });
  });

  test("is not shown folders of the server, even where the system has its own", async (context) => {
    await needSandbox(context);
    const hiding = new LocalSandbox({ ownFolders: ["/usr/share/doc", "/usr/lib", "/nothing"] });
    onTestFinished(() => hiding.close());
    const source = `
import os
def tool(path):
    try:
        os.mkdir(path + "/mine")
    except OSError as error:
        return [os.listdir(path), error.strerror, os.path.isdir("/usr/lib/locale") or len(os.listdir("/usr/lib")) > 3]`;
    const job = { ...base, language: "python", name: "tool", source, args: { path: "/usr/share/doc" } } as const;
    expect(await hiding.run(job)).toMatchObject({ value: [[], "Read-only file system", true] });
  });

  test("is one of fifty: ten of another organization do not wait for the forty before them", async (context) => {
    await needSandbox(context);
    const crowded = new LocalSandbox({ places: { places: 4, maxPlacesPerOwner: 3 } });
    onTestFinished(() => crowded.close());
    const owners = [...Array<string>(40).fill("large"), ...Array<string>(10).fill("small")];
    const done: string[] = [];
    const job = {
      ...base,
      timeoutMs: 60_000,
      language: "python",
      name: "tool",
      source: "def tool(): return 1",
    } as const;
    await Promise.all(owners.map((orgId) => crowded.run({ ...job, orgId }).then(() => done.push(orgId))));
    expect(done).toHaveLength(50);
    expect(done.lastIndexOf("small")).toBeLessThan(35);
  });

  test("reaches the hosts it may, and no others", async (context) => {
    await needSandbox(context);
    const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = new LocalSandbox({ privateHosts: ["127.0.0.1"] });
    onTestFinished(() => open.close());
    const fetched = async (on: LocalSandbox, language: "python" | "typescript", hosts: string[]) => {
      const source =
        language === "python"
          ? "import urllib.request\ndef tool(url): return urllib.request.urlopen(url).read().decode()"
          : "async function tool(url: string) { return await (await fetch(url)).text(); }";
      const result = await on.run({
        ...base,
        language,
        name: "tool",
        source,
        hosts,
        args: { url: `http://${address}/` },
      });
      return result.status === "success" ? result.value : "refused";
    };
    expect(await fetched(open, "python", [address])).toBe("hello");
    expect(await fetched(open, "typescript", [address])).toBe("hello");
    expect(await fetched(open, "python", ["example.com"])).toBe("refused");
    // The host is listed but private, and not in `privateHosts`.
    expect(await fetched(sandbox, "python", [address])).toBe("refused");
    expect(await fetched(sandbox, "typescript", [address])).toBe("refused");
  });

  test("of a machine without walls is refused with the reason, unless the operator says otherwise", async () => {
    const refusing = new LocalSandbox({ hasIsolation: false });
    const job = { ...base, language: "typescript", name: "tool", source: "const tool = () => 1 + 1" } as const;
    await expect(refusing.run(job)).rejects.toThrow(
      /^custom tools do not run on this machine, because .*--unsafe-tools/,
    );
    const open = new LocalSandbox({ hasIsolation: false, isUnsafeAllowed: true });
    onTestFinished(() => open.close());
    expect(await open.run(job)).toMatchObject({ value: 2 });
    expect(await open.isIsolated()).toBe(false);
  });

  test("that is under way when the sandbox closes is broken off", async (context) => {
    await needSandbox(context);
    const closing = new LocalSandbox();
    const source = "import time\ndef tool(): time.sleep(60)";
    const work = closing.run({ ...base, timeoutMs: 60_000, language: "python", name: "tool", source });
    await Promise.all([expect(work).rejects.toThrow("stopping"), closing.findFault().then(() => closing.close())]);
  });
});
