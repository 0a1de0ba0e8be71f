/** One POST to an address that somebody gave. It follows no redirects and reads no answer but its status. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { findAddressFault, lookUpOutside } from "./private-addresses.ts";

const timeoutMs = 5_000;

/** The status of the answer. Throws when there is none, or when the address may not be called. */
export async function postOutside(target: string, body: string, allowedHosts: readonly string[]): Promise<number> {
  const fault = findAddressFault(target, allowedHosts);
  if (fault !== undefined) throw new Error(`the address ${fault}`);
  const url = new URL(target);
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        lookup: lookUpOutside(allowedHosts),
        signal: AbortSignal.timeout(timeoutMs),
        agent: false,
      },
      (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      },
    );
    sent.on("error", reject);
    // Whoever answers by changing the protocol is hung up on, and that is no error to Node.
    sent.on("close", () => reject(new Error("the connection ended without an answer")));
    sent.end(body);
  });
}
