/** Programs that a model writes, and what they may call. */
import { describe, expect, type TestContext, test } from "vitest";
import type { Memoir, MemoirOptions } from "../../memoir.ts";
import { callTool, say, scripted } from "../../model/scripted.ts";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { needSandbox } from "../../testing/sandboxes.ts";
import { openWorld } from "../../testing/worlds.ts";
import type { HostTool } from "../../tools/executors/host.ts";
import type { NewAgent } from "../agents/agent-create.ts";

const double = `
def double(number: int):
    """
    Doubles a number.

    Args:
        number (int): Which.
    """
    return {"doubled": number * 2}
`;

const triple = double.replaceAll("double", "triple").replaceAll("Double", "Triple");

async function open(context: TestContext, options: Partial<MemoirOptions> = {}, dialect: DialectName = "sqlite") {
  await needSandbox(context);
  const world = await openWorld(dialect, context, options);
  const { memoir, actor } = world;
  const toolIds = [
    (await memoir.tools.save(actor, { source: double })).id,
    (await memoir.tools.save(actor, { source: triple })).id,
  ];
  const createAgent = async (input: NewAgent = {}) => {
    const tools = ["run_code", "run_code_with_tools", "send_message", "archival_memory_insert"];
    const blocks = [{ label: "human", value: "Ada" }];
    const { agent } = await world.createAgent({ tools, toolIds, blocks, ...input });
    const run = async (tool: string, args: JsonObject): Promise<JsonValue> => {
      const result = await memoir.agentTools.run(actor, agent.id, tool, args);
      return result.status === "success" ? result.output : { failed: result.error };
    };
    return { id: agent.id, run };
  };
  return { ...world, createAgent };
}

const programs: readonly [what: string, args: JsonObject, expected: JsonObject][] = [
  [
    "Python: what it prints, and its last value",
    { language: "python", code: "import math\nprint('hello')\nmath.factorial(5)" },
    { results: ["120"], logs: { stdout: [expect.stringContaining("hello")], stderr: [] } },
  ],
  [
    "Python that waits at the top level",
    { language: "python", code: "import asyncio\nawait asyncio.sleep(0)\n'done'" },
    { results: ["'done'"] },
  ],
  [
    "Python that fails, from its own first line on",
    { language: "python", code: "print('before')\n\n1 / 0" },
    {
      results: [],
      error: {
        name: "ZeroDivisionError",
        traceback: expect.stringMatching(/^Traceback.*\n {2}File "program.py", line 3/),
      },
    },
  ],
  ["Python that leaves", { language: "python", code: "print('x')\nimport sys\nsys.exit(0)" }, { results: [] }],
  [
    "JavaScript, until nothing is left to wait for",
    { language: "js", code: "setTimeout(() => console.log('late', 1 < 2), 5); console.log('soon')" },
    { results: [], logs: { stdout: ["soon\nlate true\n"], stderr: [] } },
  ],
  [
    "JavaScript that fails",
    { language: "js", code: "const x = 1;\nthrow new RangeError('too far')" },
    { error: { name: "RangeError", value: "too far", traceback: expect.stringContaining("program.mjs:2:7") } },
  ],
  ["JavaScript that leaves", { language: "js", code: "console.log('a'); process.exit(0)" }, { results: [] }],
  [
    "TypeScript",
    { language: "ts", code: "enum A { X = 7 }\nconst n: number = A.X;\nconsole.log(n satisfies number)" },
    { logs: { stdout: ["7\n"], stderr: [] } },
  ],
  ["TypeScript that cannot be read", { language: "ts", code: "const = 1" }, { error: { name: "SyntaxError" } }],
];

test("run_code runs programs in three languages and says how each went", async (context) => {
  const { createAgent } = await open(context);
  const { run } = await createAgent();
  const outputs = await Promise.all(programs.map(([, args]) => run("run_code", args)));
  for (const [index, [what, , expected]] of programs.entries()) {
    expect(outputs[index], what).toMatchObject(expected);
    if (!("error" in expected)) expect(outputs[index], what).not.toHaveProperty("error");
  }
});

test("run_code gets no secrets, and says so of languages it does not run", async (context) => {
  const { createAgent } = await open(context);
  const { run } = await createAgent({ secrets: { TOKEN: "s3cret-value" } });
  const code = "import os\nos.environ.get('TOKEN')";
  expect(await run("run_code", { language: "python", code })).toMatchObject({ results: [] });
  expect(await run("run_code", { language: "r", code: "1" })).toEqual({ failed: expect.stringContaining("python") });
});

describe.for(dialects)("%s: run_code_with_tools", (dialect) => {
  test("a model's program calls tools of its agent, whose edits are recorded as that call's", async (context) => {
    const code = [
      "total = sum(double(number=n)['doubled'] for n in range(3))",
      "memory_insert(label='human', new_string='knows ' + str(total))",
      "print('told', total)",
      "{'total': total}",
    ].join("\n");
    const model = scripted([callTool("run_code_with_tools", { code }), say("Done.")]);
    const { memoir, actor, createAgent } = await open(context, { models: { get: () => model } }, dialect);
    const { id } = await createAgent({ model: "openai/gpt-4o-mini" });
    const input = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }] };
    const { messages } = await memoir.messages.complete(actor, (await memoir.messages.send(actor, id, input)).id);
    const [result] = messages.flatMap(({ toolReturns }) => toolReturns ?? []);
    expect(JSON.parse(result?.output ?? "")).toEqual({
      status: "success",
      func_return: { total: 6 },
      stdout: ["told 6\n"],
      stderr: [],
    });
    const block = await memoir.blocks.getOfAgent(actor, id, "human");
    expect(block.value).toContain("knows 6");
  });

  test("limits of tool rules hold for what programs call, also after a crash", async (context) => {
    let paid = 0;
    const tools: HostTool[] = [
      {
        name: "pay",
        description: "Pays.",
        parameters: { type: "object", properties: {} },
        effect: "unsafe",
        run: () => `paid ${++paid}`,
      },
    ];
    const payTwice = "said = [pay()]\ntry:\n    pay()\nexcept ToolError as error:\n    said.append(str(error))\nsaid";
    const payAndHang = "pay()\nimport time\ntime.sleep(100)";
    const script = [
      callTool("pay"),
      callTool("run_code_with_tools", { code: payTwice }),
      callTool("pay"),
      say("Done."),
      callTool("run_code_with_tools", { code: payAndHang }),
      callTool("pay"),
      callTool("pay"),
      say("Done."),
    ];
    const model = scripted(script);
    const options = { models: { get: () => model }, tools };
    const { memoir, actor, createAgent, openAnother } = await open(context, options, dialect);
    const { id } = await createAgent({
      model: "openai/gpt-4o-mini",
      tools: ["run_code_with_tools", "pay"],
      toolRules: [{ type: "max-count", tool: "pay", limit: 2 }],
    });
    const input = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }] };
    const outputsOf = async ({ messages }: Memoir, runId: string) =>
      (await messages.complete(actor, runId)).messages.flatMap(({ toolReturns }) => toolReturns ?? []);
    const first = await outputsOf(memoir, (await memoir.messages.send(actor, id, input)).id);
    expect(JSON.parse(first[1]?.output ?? "").func_return).toEqual(["paid 2", expect.stringContaining("limit is 2")]);
    expect(first[2]).toMatchObject({ status: "error", output: expect.stringContaining("ToolConstraintError") });
    const cut = await memoir.messages.send(actor, id, input);
    await expect.poll(() => paid).toBe(3);
    await memoir.close();
    const second = await outputsOf(await openAnother(), cut.id);
    expect(second.map(({ status }) => status)).toEqual(["error", "success", "error"]);
    expect(paid).toBe(4);
  });

  test("what is denied, waits for approval or ends a turn cannot be called, and nothing happens", async (context) => {
    const { memoir, actor, createAgent } = await open(context, {}, dialect);
    const none = { names: [], tags: [], kinds: [] };
    const { id, run } = await createAgent({
      toolPermissions: { allow: null, deny: { ...none, names: ["triple"] } },
      toolRules: [{ type: "exit", tool: "double" }],
    });
    await memoir.agentTools.setApproval(actor, id, "archival_memory_insert", true);
    // The names are not there; and whoever asks for them all the same is refused.
    const code = (name: string, args: string) =>
      `assert "${name}" not in globals()\nimport sys\nsys._getframe(2).f_globals["call_tool"]("${name}", ${args})`;
    for (const [name, args, reason] of [
      ["triple", "{'number': 1}", "not permitted"],
      ["archival_memory_insert", "{'content': 'x'}", "approval"],
      ["send_message", "{'message': 'x'}", "directly"],
      ["double", "{'number': 1}", "directly"],
      ["run_code_with_tools", "{'code': '1'}", "directly"],
      ["nothing_like_it", "{}", "no tool"],
    ] as const) {
      const output = (await run("run_code_with_tools", { code: code(name, args) })) as JsonObject;
      expect([name, output.status, output.func_return]).toEqual([name, "error", expect.stringContaining(reason)]);
    }
    expect(await memoir.passages.listOfAgent?.(actor, id, { limit: 5, order: "asc" })).toEqual([]);
  });
});

test("arguments that do not fit, and tools that fail, are errors the program can handle", async (context) => {
  const { createAgent } = await open(context);
  const { run } = await createAgent();
  const code = "try:\n    double(number='many')\nexcept ToolError as error:\n    print('refused:', error)\n'went on'";
  expect(await run("run_code_with_tools", { code })).toMatchObject({
    status: "success",
    func_return: "went on",
    stdout: [expect.stringMatching(/^refused: .*number/)],
  });
});

test("what older kinds of agents say to go on does not reach a tool that a program calls", async (context) => {
  const { createAgent } = await open(context);
  const { run } = await createAgent();
  const code = "double(number=2, request_heartbeat=True)['doubled']";
  expect(await run("run_code_with_tools", { code })).toMatchObject({ status: "success", func_return: 4 });
});

test("a program may make many calls side by side", async (context) => {
  const { createAgent } = await open(context);
  const { run } = await createAgent();
  const code = [
    "from concurrent.futures import ThreadPoolExecutor",
    "with ThreadPoolExecutor(10) as pool:",
    "    told = list(pool.map(lambda n: archival_memory_insert(content=f'fact {n}'), range(30)))",
    "len(told)",
  ].join("\n");
  expect(await run("run_code_with_tools", { code })).toMatchObject({ status: "success", func_return: 30 });
});

test("what a program called and did not wait for is not done after it has ended", async (context) => {
  const { memoir, actor, createAgent } = await open(context);
  const { id, run } = await createAgent();
  const code = [
    "import threading, time",
    "def note():",
    "    for n in range(100):",
    "        memory_insert(label='human', new_string='more')",
    "for n in range(10):",
    "    threading.Thread(target=note, daemon=True).start()",
    "time.sleep(0.2)",
  ].join("\n");
  expect(await run("run_code_with_tools", { code })).toMatchObject({ status: "success" });
  const read = async () => (await memoir.agents.get(actor, id)).blocks.map(({ value }) => value);
  const before = await read();
  expect(before.join()).toContain("more");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await read()).toEqual(before);
});

test("a program with the agent's secrets does not give them away by printing them", async (context) => {
  const { memoir, actor, createAgent } = await open(context);
  const { id, run } = await createAgent({
    secrets: { TOKEN: "s3cret-value", SHORT: "abc", LONGER: "s3cret-value-more" },
  });
  const code =
    "import os, sys\nprint(os.environ['LONGER'], os.environ['SHORT'])\nsys.stderr.write(os.environ['TOKEN'])\n" +
    "{os.environ['TOKEN']: ['Bearer ' + os.environ['TOKEN']]}";
  expect(await run("run_code_with_tools", { code })).toEqual({
    status: "success",
    func_return: { "[secret TOKEN]": ["Bearer [secret TOKEN]"] },
    stdout: ["[secret LONGER] abc\n"],
    stderr: ["[secret TOKEN]"],
  });
  const keeping = "import os\nmemory_insert(label='human', new_string='her token: ' + os.environ['TOKEN'])";
  expect(await run("run_code_with_tools", { code: keeping })).toMatchObject({ status: "success" });
  expect((await memoir.blocks.getOfAgent(actor, id, "human")).value).toContain("her token: [secret TOKEN]");
  const failing = "import os\nraise ValueError(os.environ['TOKEN'])";
  expect(JSON.stringify(await run("run_code_with_tools", { code: failing }))).not.toContain("s3cret");
});
