/** Modules of the foreign clients in conformance/clients, loaded when a test runs so that a checkout without them type-checks. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TestContext } from "vitest";
import { whyMissing } from "./services.ts";

/** Where a file of an installed package lies. Skips the test where the clients could not be fetched. */
export function findForeign(context: TestContext, ...place: readonly string[]): string {
  const file = join(import.meta.dirname, "..", "clients", "node_modules", ...place);
  context.skip(!existsSync(file), whyMissing("npm-clients"));
  return file;
}

export async function loadForeign<Module>(context: TestContext, ...place: readonly string[]): Promise<Module> {
  return await import(/* @vite-ignore */ pathToFileURL(findForeign(context, ...place)).href);
}
