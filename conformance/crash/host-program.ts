/**
 * A program that Memoir is embedded in, to be killed: it serves HTTP as `memoir serve` does, and has a tool of its own whose
 * effect is a line in a file, which no transaction takes back.
 */
import { appendFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { Memoir } from "@memoir/core";
import { createApp } from "@memoir/server";
import pino from "pino";

const { MEMOIR_DATABASE: database = "", MEMOIR_ENCRYPTION_KEY: encryptionKey, ...env } = process.env;
const effects = env.MEMOIR_TEST_EFFECTS ?? "";

const log = pino({ base: undefined });
const memoir = new Memoir({
  database,
  encryptionKey,
  providers: { openai: { apiKey: env.OPENAI_API_KEY ?? "", baseUrl: env.OPENAI_BASE_URL } },
  tools: [
    {
      name: "send_mail",
      description: "Sends a mail.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      effect: "unsafe",
      run: ({ text }) => {
        appendFileSync(effects, `${text}\n`);
        return "sent";
      },
    },
  ],
  log,
});
await memoir.start();
const app = await createApp({ memoir, log, findProviders: async () => [] });
await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`running at http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
process.once("SIGTERM", async () => {
  await app.close();
  await memoir.close();
});
