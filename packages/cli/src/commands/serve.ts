/** `memoir serve`: runs until it is told to stop. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProviderRow } from "@memoir/core";
import { type FoundProvider, type RunningServer, readConfig, serve as startServer } from "@memoir/server";
import type { Command } from "../command.ts";
import { composeServeHelp } from "./serve-help.ts";

export const serve: Command = {
  name: "serve",
  summary: "start the server and the page in the browser",
  help: composeServeHelp(),
  run: runServe,
};

async function runServe(words: readonly string[]): Promise<number> {
  const { config, warnings } = readConfig(words, process.env);
  for (const warning of warnings) console.error(`memoir: ${warning}`);
  const server = await startServer(config, { webRoot: findWebRoot(), environment: process.env });
  const stopped = waitForStop(server);
  await greet(server);
  return await stopped;
}

/** Beside the bundle when published, in its own package when run from source. */
function findWebRoot(): string | undefined {
  const places = [join(import.meta.dirname, "web"), join(import.meta.dirname, "..", "..", "..", "web", "dist")];
  return places.find((place) => existsSync(join(place, "index.html")));
}

async function greet(server: RunningServer): Promise<void> {
  const { address, memoir, password } = server;
  const { kind, path } = memoir.location;
  console.log(`
  Memoir is running at ${address}

  Data       ${path}${kind === "sqlite" ? "" : " (PostgreSQL)"}
  Reference  ${address}/docs`);
  if (server.isPasswordMadeUp) console.log(`  Password   ${password}`);
  if (server.needsKey) console.log("  Callers    need a key: memoir keys create NAME");
  const providers = await server.providers;
  const curl = `curl ${address}/v1/agents/`;
  const headers = `-H 'Content-Type: application/json'${password || server.needsKey ? " -H 'Authorization: Bearer …'" : ""}`;
  console.log(`  Models     ${describeProviders(providers)}

  Next, make an agent and tell it who you are:

    ${curl} ${headers} \\
      -d '{"model": "${suggestModel(providers)}", "memory_blocks": [{"label": "human", "value": "Name: unknown"}]}'
    ${curl}AGENT_ID/messages ${headers} -d '{"input": "My name is Ada."}'

  Stop with Ctrl-C.
`);
}

function describeProviders(providers: readonly FoundProvider[]): string {
  const found = providers.filter((provider) => provider.found).map(({ title, detail }) => `${title} (${detail})`);
  return found.length > 0
    ? found.join(", ")
    : "memoir/demo, which needs no key; for a real one set OPENAI_API_KEY or ANTHROPIC_API_KEY";
}

function suggestModel(providers: readonly FoundProvider[]): string {
  const handles = providers
    .filter(({ found }) => found)
    .flatMap(({ name }) => {
      const model = findProviderRow(name)?.suggestedModel;
      return model === undefined ? [] : [`${name}/${model}`];
    });
  return handles[0] ?? "memoir/demo";
}

const timeoutMs = 10_000;
const lingerMs = 250;
/** One press of Ctrl-C can arrive twice, from the terminal and from the launcher. */
const echoMs = 500;

/** The first signal stops in order; a later one, or ten seconds, stops at once. */
function waitForStop(server: RunningServer): Promise<number> {
  return new Promise((resolve) => {
    let stoppingSince: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      if (stoppingSince !== undefined) {
        if (performance.now() - stoppingSince > echoMs) process.exit(signal === "SIGINT" ? 130 : 143);
        return;
      }
      stoppingSince = performance.now();
      setTimeout(() => process.exit(1), timeoutMs).unref();
      server.close().then(
        () => {
          // What is still under way, to a collector that does not answer for instance, holds nobody up.
          setTimeout(() => process.exit(0), lingerMs).unref();
          resolve(0);
        },
        (error: unknown) => {
          console.error("memoir: stopping failed:", error);
          resolve(1);
        },
      );
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  });
}
