/** Addresses of models that callers gave: which are refused, and that a connection goes where was looked. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { FindAddresses } from "../network/private-addresses.ts";
import { createForeignFetch, type ForeignFetchOptions } from "./foreign-fetch.ts";

async function listen(answer: RequestListener): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Every name stands for these, in turn. */
function standFor(...addresses: string[]): FindAddresses & { count: number } {
  const find = (_host: string, _options: object, answer: Parameters<FindAddresses>[2]) => {
    const address = addresses[Math.min(find.count++, addresses.length - 1)] ?? "";
    answer(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
  };
  find.count = 0;
  return find;
}

const forbidden: typeof fetch = () => Promise.reject(new Error("the program's own fetch was called"));

function open(options: Partial<ForeignFetchOptions> & { guarded?: boolean }): typeof fetch {
  const { guarded = true, ...rest } = options;
  const isGuarded = async () => guarded;
  return createForeignFetch({ allowedHosts: [], isGuarded, fetch: forbidden, isFetchGiven: false, ...rest });
}

const inside = [
  "http://127.0.0.1:1/v1",
  "http://[::1]/",
  "http://10.1.2.3",
  "http://0x7f.1/",
  "http://db.internal/",
  "http://vllm:8000/",
];
const clouds = [
  "http://169.254.169.254/latest/meta-data/",
  "http://[fe80::1]/",
  "http://[::ffff:169.254.169.254]/",
  "http://metadata.google.internal/",
  "http://100.100.100.200/",
  "http://[fd00:ec2::254]/",
];
const malformed = ["ftp://models.example.com/", "https://user:secret@models.example.com/"];

test.for([...inside, ...clouds, ...malformed])("a guarded program does not call %s", async (address) => {
  await expect(open({})(address)).rejects.toMatchObject({ code: "llm-bad-request" });
});

test.for(clouds)("a program without logins does not call %s either", async (address) => {
  const call = open({ guarded: false })(address);
  await expect(call).rejects.toMatchObject({
    code: "llm-bad-request",
    message: expect.stringContaining("MODEL_ALLOW"),
  });
});

test.for(inside)("a program without logins calls %s as before", async (address) => {
  const answer = new Response("hello");
  const own: typeof fetch = async () => answer;
  expect(await open({ guarded: false, fetch: own, findAddresses: standFor("10.1.2.3") })(address)).toBe(answer);
});

test("a name that leads inside is refused by the connection, and nothing is sent", async () => {
  const { port, seen } = await listen((_, response) => response.end("secret"));
  const call = open({ findAddresses: standFor("127.0.0.1") })(`http://models.example.com:${port}/v1`);
  await expect(call).rejects.toMatchObject({
    code: "llm-bad-request",
    message: expect.stringMatching(/^the address http:\/\/models.example.com:\d+ leads to this machine/),
  });
  expect(seen).toEqual([]);
});

test("a name that leads to a metadata service is refused without logins, too", async () => {
  const call = open({ guarded: false, findAddresses: standFor("169.254.169.254") })("http://models.example.com/v1");
  await expect(call).rejects.toMatchObject({ code: "llm-bad-request" });
});

test("a program that makes its own connections is asked only after the name was looked up", async () => {
  const options = { isFetchGiven: true, findAddresses: standFor("192.168.1.1") };
  await expect(open(options)("https://models.example.com/v1")).rejects.toMatchObject({ code: "llm-bad-request" });
  const answer = new Response("hello");
  const input: typeof fetch = async () => answer;
  const outside = { ...options, fetch: input, findAddresses: standFor("203.0.113.9") };
  expect(await open(outside)("https://models.example.com/v1")).toBe(answer);
});

test("a name is looked up once for a connection, which is used again", async () => {
  const { port } = await listen((_, response) => response.end("hello"));
  const findAddresses = standFor("127.0.0.1");
  const call = open({ allowedHosts: ["models.example.com"], findAddresses });
  for (let turn = 0; turn < 2; turn++) {
    expect(await (await call(`http://models.example.com:${port}/v1`)).text()).toBe("hello");
  }
  expect(findAddresses.count).toBe(1);
});

test("method, headers and body arrive, and the answer comes back in pieces", async () => {
  let said = "";
  const { port, seen } = await listen(async (request, response) => {
    for await (const part of request) said += `${request.headers["x-api-key"]} ${part}`;
    response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": ["a=1", "b=2"] });
    response.write("data: 1\n\n");
    response.end("data: 2\n\n");
  });
  const call = open({ allowedHosts: ["127.0.0.1"] });
  const init = { method: "POST", headers: { "x-api-key": "k" }, body: '{"tea":true}' };
  const response = await call(`http://127.0.0.1:${port}/v1/messages?beta=1`, init);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(await response.text()).toBe("data: 1\n\ndata: 2\n\n");
  expect([seen, said]).toEqual([["POST /v1/messages?beta=1"], 'k {"tea":true}']);
});

test("an answer that is packed all the same is unpacked", async () => {
  const { port } = await listen((_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("hello")),
  );
  const response = await open({ allowedHosts: ["127.0.0.1"] })(`http://127.0.0.1:${port}/`);
  expect(await response.text()).toBe("hello");
});

test("redirects are answers, not followed", async () => {
  const { port, seen } = await listen((_, response) => response.writeHead(307, { location: "/elsewhere" }).end());
  const response = await open({ allowedHosts: ["127.0.0.1"] })(`http://127.0.0.1:${port}/v1`, {
    method: "POST",
    body: "x",
  });
  expect([response.status, seen]).toEqual([307, ["POST /v1"]]);
});

test("a call that is aborted ends, before its answer and in the middle of it", async () => {
  const { port } = await listen((request, response) => {
    if (request.url === "/part") response.write("data: 1\n\n");
  });
  const call = open({ allowedHosts: ["127.0.0.1"] });
  const early = new AbortController();
  const waiting = call(`http://127.0.0.1:${port}/never`, { signal: early.signal });
  early.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  const late = new AbortController();
  const response = await call(`http://127.0.0.1:${port}/part`, { signal: late.signal });
  const reading = response.text();
  late.abort();
  await expect(reading).rejects.toThrow();
});
