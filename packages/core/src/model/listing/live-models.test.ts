import { expect, test } from "vitest";
import { silentLog } from "../../shared/log.ts";
import { createLiveModels } from "./live-models.ts";

function open(answers: (() => Response | Promise<Response>)[]) {
  let time = 0;
  let asked = 0;
  const lines: object[] = [];
  const live = createLiveModels({
    fetch: async () => (answers[asked++] ?? (() => Response.error()))(),
    log: { ...silentLog, warn: (fields) => lines.push(fields) },
    now: () => time,
    freshMs: 100,
    failedMs: 10,
  });
  const provider = { name: "p", type: "openai", access: { baseUrl: "http://p.test", apiKey: "k" } };
  const names = async () => (await live.list(provider)).map(({ name }) => name);
  return { live, provider, names, lines, asked: () => asked, pass: (ms: number) => (time += ms) };
}

const says =
  (...names: string[]) =>
  () =>
    Response.json({ data: names.map((id) => ({ id })) });
const fails = () => new Response("{}", { status: 500 });

test("several who ask at once share one question, and the answer is kept", async () => {
  const { names, asked } = open([says("a")]);
  expect(await Promise.all([names(), names()])).toEqual([["a"], ["a"]]);
  expect(await names()).toEqual(["a"]);
  expect(asked()).toBe(1);
});

test("an old answer is given at once, and renewed behind the scenes", async () => {
  const { names, live, provider, pass } = open([says("a"), says("a", "b")]);
  await names();
  pass(101);
  expect(await names()).toEqual(["a"]);
  await live.refresh(provider);
  expect(await names()).toEqual(["a", "b"]);
});

test("a failure is told with its reason, logged, and not repeated for a moment", async () => {
  const { names, asked, lines, pass } = open([fails, says("a")]);
  await expect(names()).rejects.toMatchObject({ code: "llm-error" });
  await expect(names()).rejects.toMatchObject({ code: "llm-error" });
  expect(asked()).toBe(1);
  expect(lines).toEqual([{ provider: "p", code: "llm-error", reason: expect.any(String) }]);
  pass(11);
  expect(await names()).toEqual(["a"]);
});

test("what was known stays when a later question fails", async () => {
  const { names, live, provider } = open([says("a"), fails]);
  await names();
  await expect(live.refresh(provider)).rejects.toMatchObject({ code: "llm-error" });
  expect(await names()).toEqual(["a"]);
});

test("another key has a list of its own", async () => {
  const { live, provider, names } = open([says("a"), says("b")]);
  await names();
  const other = { ...provider, access: { ...provider.access, apiKey: "other" } };
  expect(live.peek(other)).toBeUndefined();
  expect(await live.list(other)).toMatchObject([{ name: "b" }]);
});
