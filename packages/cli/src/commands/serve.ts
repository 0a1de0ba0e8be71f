/** `memoir serve`: runs until it is told to stop. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type FoundProvider, type RunningServer, readConfig, serve as startServer } from "@memoir/server";

export async function serve(words: readonly string[]): Promise<number> {
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
  const { kind, path } = server.memoir.location;
  console.log(`
  Memoir is running at ${server.address}

  Data       ${path}${kind === "sqlite" ? "" : " (PostgreSQL)"}
  Reference  ${server.address}/docs`);
  if (server.isPasswordMadeUp) console.log(`  Password   ${server.password}`);
  const providers = await server.providers;
  console.log(`  Models     ${describeProviders(providers)}

  Next, make an agent that remembers you:

    curl ${server.address}/v1/agents/ -H 'Content-Type: application/json'${server.password ? " -H 'Authorization: Bearer …'" : ""} \\
      -d '{"model": "${suggestModel(providers)}", "memory_blocks": [{"label": "human", "value": "Name: Ada"}]}'

  Stop with Ctrl-C.
`);
}

function describeProviders(providers: readonly FoundProvider[]): string {
  const found = providers.filter((provider) => provider.found);
  if (found.length > 0) return found.map(({ title, detail }) => `${title} (${detail})`).join(", ");
  return "none found: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or start Ollama or LM Studio";
}

const suggestions: Readonly<Record<string, string>> = {
  openai: "openai/gpt-4o-mini",
  anthropic: "anthropic/claude-haiku-4-5",
  google_ai: "google_ai/gemini-2.5-flash",
};

function suggestModel(providers: readonly FoundProvider[]): string {
  const names = providers.filter(({ found }) => found).map(({ name }) => suggestions[name]);
  return names.find((name) => name !== undefined) ?? "memoir/demo";
}

const patienceMs = 10_000;

/** The first signal stops in order; a second one, or ten seconds, stops at once. */
function waitForStop(server: RunningServer): Promise<number> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (isStopping) process.exit(signal === "SIGINT" ? 130 : 143);
      isStopping = true;
      setTimeout(() => process.exit(1), patienceMs).unref();
      server.close().then(
        () => resolve(0),
        (error: unknown) => {
          console.error("memoir: stopping failed:", error);
          resolve(1);
        },
      );
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  });
}
