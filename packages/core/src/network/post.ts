/** One POST to an untrusted address: follows no redirects and reads nothing but the status. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { findAddressFault, guardedLookup } from "./private-addresses.ts";

const timeoutMs = 5_000;

/** Resolves to the status; throws if there is no response or the address is not allowed. */
export async function guardedPost(target: string, body: string, allowedHosts: readonly string[]): Promise<number> {
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
        lookup: guardedLookup(allowedHosts),
        signal: AbortSignal.timeout(timeoutMs),
        agent: false,
      },
      (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      },
    );
    sent.on("error", reject);
    // Node closes the connection without an error event if the server switches protocols.
    sent.on("close", () => reject(new Error("the connection ended without an answer")));
    sent.end(body);
  });
}
