import { expect, test } from "vitest";
import { fetchStatus, type ServerStatus } from "./status.ts";

const status: ServerStatus = {
  version: "0.1.0",
  compatible_with: "0.16.8",
  started_at: "2030-01-02T03:04:05Z",
  database: { kind: "sqlite", location: "/home/samira/.memoir/memoir.db" },
  providers: [{ name: "openai", title: "OpenAI", found: false, detail: "Set OPENAI_API_KEY." }],
  counts: { agents: 2, blocks: 5 },
};

function answering(body: unknown, init?: ResponseInit) {
  const requests: { path: string; headers: Headers }[] = [];
  const fakeFetch: typeof fetch = async (input, request) => {
    requests.push({ path: String(input), headers: new Headers(request?.headers) });
    return new Response(typeof body === "string" ? body : JSON.stringify(body), init);
  };
  return { fetch: fakeFetch, requests };
}

test("a running server is shown as it describes itself", async () => {
  const { fetch, requests } = answering(status);
  expect(await fetchStatus({ fetch })).toEqual({ kind: "ready", status });
  expect(requests[0]?.path).toBe("/v1/memoir/status");
  expect(requests[0]?.headers.has("authorization")).toBe(false);
});

test("the password goes along as a bearer token", async () => {
  const { fetch, requests } = answering(status);
  await fetchStatus({ fetch, password: "open sesame" });
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer open sesame");
});

test("a server in password mode asks for a password, and says when it was the wrong one", async () => {
  const { fetch } = answering({ detail: "Unauthorized" }, { status: 401 });
  expect(await fetchStatus({ fetch })).toEqual({ kind: "locked", refused: false });
  expect(await fetchStatus({ fetch, password: "guess" })).toEqual({ kind: "locked", refused: true });
});

test("a password no header can carry is refused without asking the server", async () => {
  const { fetch, requests } = answering(status);
  expect(await fetchStatus({ fetch, password: "пароль" })).toEqual({ kind: "locked", refused: true });
  expect(requests).toHaveLength(0);
});

test("no answer at all means unreachable", async () => {
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  expect(await fetchStatus({ fetch })).toEqual({ kind: "unreachable" });
});

test("an error is shown with the server's own words", async () => {
  const { fetch } = answering({ detail: "database is locked" }, { status: 503 });
  expect(await fetchStatus({ fetch })).toEqual({
    kind: "failed",
    reason: "/v1/memoir/status answered 503: database is locked",
  });
});

test.for(["<!doctype html><title>Some other server</title>", "{}", { ...status, providers: "none" }])(
  "an answer that is not a status is not taken for one: %j",
  async (body) => {
    const { fetch } = answering(body);
    expect(await fetchStatus({ fetch })).toMatchObject({ kind: "failed" });
  },
);
