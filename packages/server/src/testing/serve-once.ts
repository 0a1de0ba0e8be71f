/** A whole server for one test: on a port and a database of its own, silent, and without looking for models. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { readConfig } from "../config/read-config.ts";
import type { Environment } from "../config/settings.ts";
import { type RunningServer, serve } from "../serve.ts";

export async function serveOnce(environment: Environment = {}): Promise<RunningServer> {
  const home = mkdtempSync(join(tmpdir(), "memoir-server-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const words = ["--port", "0", "--discover", "off", "--log", "silent", "--database", join(home, "memoir.db")];
  const server = await serve(readConfig(words, environment, home).config, { environment });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= server.close());
  onTestFinished(close);
  return { ...server, close };
}
