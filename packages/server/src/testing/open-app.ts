/** An application on a port of its own, with its services at hand, for tests of who may do what. */
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { Memoir, type MemoirOptions } from "@memoir/core";
import pino from "pino";
import { onTestFinished } from "vitest";
import { type AppOptions, createApp } from "../app.ts";

type Headers = Readonly<Record<string, string>>;

export async function openApp(
  options: Partial<AppOptions> = {},
  database = ":memory:",
  own: Partial<MemoirOptions> = {},
) {
  const memoir = new Memoir({ database, encryptionKey: "a key for tests", ...own });
  await memoir.start();
  const log = pino({ level: "silent" });
  const app = await createApp({ memoir, log, findProviders: async () => [], checkResponses: true, ...options });
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await app.close();
    await memoir.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const call = (method: string, path: string, headers: Headers = {}, body?: object) =>
    new Promise<{ status: number; headers: Headers; text: string }>((answered, failed) => {
      const type: Headers = body ? { "content-type": "application/json" } : {};
      const outgoing = request({ host: "127.0.0.1", port, method, path, headers: { ...type, ...headers } });
      outgoing.on("error", failed).on("response", (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        incoming.on("end", () =>
          answered({ status: incoming.statusCode ?? 0, headers: incoming.headers as Headers, text }),
        );
      });
      outgoing.end(body && JSON.stringify(body));
    });
  const as = (secret: string) => (method: string, path: string, body?: object) =>
    call(method, path, { authorization: `Bearer ${secret}` }, body);
  const createAgent = async () =>
    (await memoir.agents.create(memoir.defaultActor, { model: "memoir/demo", blocks: [{ label: "human", value: "" }] }))
      .agent.id;
  return { memoir, port, url: `http://127.0.0.1:${port}`, call, as, createAgent };
}
