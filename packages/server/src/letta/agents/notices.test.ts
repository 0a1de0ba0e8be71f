import { expect, test } from "vitest";
import { serveOnce } from "../../testing/serve-once.ts";

interface Answered {
  readonly id: string;
  readonly managed_group: unknown;
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly message_type: string }[];
  readonly detail: string;
}

const read = async (answer: Response) => (await answer.json()) as Answered;

async function open() {
  const { address: url } = await serveOnce();
  return async (path: string, body?: object, method = "POST") =>
    await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
}

test("an agent with a sleep-time partner is made with a notice that the partner does not run", async () => {
  const ask = await open();
  const plain = await ask("/v1/agents/", { model: "memoir/demo" });
  expect(plain.headers.get("x-memoir-notice")).toBeNull();
  const made = await ask("/v1/agents/", { model: "memoir/demo", enable_sleeptime: true });
  expect(made.headers.get("x-memoir-notice")).toContain("does not run on this server yet");
  const { id, managed_group, tools } = await read(made);
  expect(managed_group).toMatchObject({ manager_type: "sleeptime", turns_counter: -1 });
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["memory_insert", "memory_replace"]));
  const sent = await ask(`/v1/agents/${id}/messages`, { messages: [{ role: "user", content: "My name is Ada." }] });
  const { messages } = await read(sent);
  expect(messages.at(-1)?.message_type).toBe("assistant_message");
});

test("tools by which agents write to each other are refused in one sentence until they run", async () => {
  const ask = await open();
  const answer = await ask("/v1/agents/", { model: "memoir/demo", include_multi_agent_tools: true });
  expect(answer.status).toBe(501);
  expect(answer.headers.get("x-should-retry")).toBe("false");
  expect((await read(answer)).detail).toContain("include_multi_agent_tools");
});

test("attaching a tool that cannot run succeeds with a notice", async () => {
  const ask = await open();
  const { id } = await read(await ask("/v1/agents/", { model: "memoir/demo" }));
  const found = await ask("/v1/tools/?name=send_message_to_agent_async", undefined, "GET");
  const [tool] = (await found.json()) as Answered[];
  const attached = await ask(`/v1/agents/${id}/tools/attach/${tool?.id}`, undefined, "PATCH");
  expect(attached.status).toBe(200);
  expect(attached.headers.get("x-memoir-notice")).toContain("send_message_to_agent_async");
});
