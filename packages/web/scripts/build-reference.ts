// Puts Scalar's browser bundle next to the reference page, so that /docs works on a machine without a network.
// The bundle is published as a string inside Scalar's Fastify plugin; asking the plugin for the file over a request
// that never leaves this process is the one way in that does not depend on how the plugin is built.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import scalarPlugin from "@scalar/fastify-api-reference";
import fastify from "fastify";

const target = new URL("../dist/reference/", import.meta.url);

async function readScalarBundle(): Promise<Buffer> {
  const app = fastify();
  await app.register(scalarPlugin, { routePrefix: "/reference", configuration: { url: "/openapi.json" } });
  const response = await app.inject("/reference/js/scalar.js");
  await app.close();
  const isScript = response.headers["content-type"]?.toString().includes("javascript");
  if (response.statusCode !== 200 || !isScript) {
    throw new Error(`Scalar's plugin answered ${response.statusCode} instead of its browser bundle`);
  }
  return response.rawPayload;
}

const bundle = await readScalarBundle();
const pluginDirectory = new URL("../", import.meta.resolve("@scalar/fastify-api-reference"));
await mkdir(target, { recursive: true });
await writeFile(new URL("scalar.js", target), bundle);
await copyFile(new URL("LICENSE", pluginDirectory), new URL("scalar.LICENSE.txt", target));
process.stdout.write(`${fileURLToPath(target)}scalar.js  ${(bundle.length / 1e6).toFixed(2)} MB\n`);
