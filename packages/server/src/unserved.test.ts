import { expect, test } from "vitest";
import { serveOnce } from "./testing/serve-once.ts";

test.for([
  ["GET", "/v1/git/agent-1/state.git/info/refs?service=git-upload-pack"],
  ["POST", "/v1/git/agent-1/state.git/git-upload-pack"],
  ["POST", "/v1/anthropic/v1/messages"],
  ["POST", "/v1/zai/v1/messages"],
])("%s %s answers 501 with a sentence, whatever is sent", async ([method = "", path = ""]) => {
  const { address } = await serveOnce();
  const body = method === "POST" ? { body: "0000", headers: { "content-type": "application/x-git-request" } } : {};
  const answer = await fetch(`${address}${path}`, { method, ...body });
  expect(answer.status).toBe(501);
  expect(answer.headers.get("x-should-retry")).toBe("false");
  expect(await answer.json()).toEqual({ detail: expect.stringMatching(/^Memoir does not .*\.$/) });
});

test("paths that are not served ask for the password as others do", async () => {
  const { address } = await serveOnce({ MEMOIR_PASSWORD: "a long enough password" });
  expect((await fetch(`${address}/v1/git/x`)).status).toBe(401);
});

test("admin paths are not served under the name /latest", async () => {
  const { address } = await serveOnce();
  expect((await fetch(`${address}/v1/admin/orgs/`)).status).toBe(200);
  expect((await fetch(`${address}/latest/admin/orgs/`)).status).toBe(404);
  expect((await fetch(`${address}/latest/agents/`)).status).toBe(200);
});

test("settings of a sandbox of an unknown type are refused, and there is no venv to recreate", async () => {
  const { address } = await serveOnce();
  const post = (path: string, body: object = {}) =>
    fetch(`${address}/v1/sandbox-config${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const refused = await post("/", { type: "docker", config: { timeout: 5 } });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("type");
  expect(await (await post("/", { type: "e2b", config: {} })).json()).toMatchObject({ type: "e2b" });
  const recreated = await post("/local/recreate-venv");
  expect(recreated.status).toBe(200);
  expect(recreated.headers.get("x-memoir-notice")).toContain("no venv");
});
