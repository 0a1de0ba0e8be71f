/** The yardstick: what bare node:http does on this machine. Answers with the body it was sent; prints its port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
  });
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
// Whoever started us holds the other end.
process.stdin.on("end", () => process.exit(0)).resume();
