/** The egress proxy runs in the server, so input from either side must not crash it. */
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openEgressProxy } from "./egress-proxy.ts";

/** A host that responds with fixed bytes, and a client that reaches it through a proxy. */
async function openHost(reply: string) {
  const host = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(reply)));
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  const proxy = await openEgressProxy({ hosts: [address], privateHosts: ["127.0.0.1"] });
  onTestFinished(() => {
    proxy.close();
    host.close();
  });
  const ask = (request: string) =>
    new Promise<string>((resolve) => {
      let answer = "";
      const socket = connect(proxy.path).on("data", (part) => {
        answer += part;
        if (answer.includes("\r\n\r\n")) socket.destroy();
      });
      socket.on("close", () => resolve(answer.split("\r\n")[0] ?? ""));
      socket.write(request);
    });
  return { address, ask };
}

test.for([
  ["a status there is none of", "HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n"],
  ["a status that is too low", "HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n"],
  ["another protocol", "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["trailers where there can be none", "HTTP/1.1 200 x\r\nTrailer: x\r\nContent-Length: 1\r\n\r\na"],
])("a host that answers with %s is a bad gateway and no crash", async ([, reply = ""]) => {
  const { address, ask } = await openHost(reply);
  const request = `GET http://${address}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
  expect(await ask(request)).toBe("HTTP/1.1 502 Bad Gateway");
  expect(await ask(request)).toBe("HTTP/1.1 502 Bad Gateway");
});

test("a tool that names a user who cannot be read, or trailers without a place, gets an answer all the same", async () => {
  const { address, ask } = await openHost("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
  const bad = `GET http://a:%ff@${address}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
  expect(await ask(bad)).toBe("HTTP/1.1 502 Bad Gateway");
  const trailers = `POST http://${address}/ HTTP/1.1\r\nHost: x\r\nTrailer: x\r\nContent-Length: 1\r\n\r\na`;
  expect(await ask(trailers)).toBe("HTTP/1.1 502 Bad Gateway");
  expect(await ask(`GET http://${address}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe("HTTP/1.1 200 OK");
});
