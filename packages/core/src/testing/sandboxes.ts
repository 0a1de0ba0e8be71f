/** Tests that need the sandbox of this machine skip, with the reason, where there is none. */
import type { TestContext } from "vitest";
import { LocalSandbox } from "../sandbox/local-sandbox.ts";

let fault: Promise<string | undefined> | undefined;

export async function needSandbox(context: TestContext): Promise<void> {
  fault ??= findFault();
  const found = await fault;
  if (found !== undefined) context.skip(found);
}

async function findFault(): Promise<string | undefined> {
  const sandbox = new LocalSandbox();
  try {
    return await sandbox.findFault();
  } finally {
    await sandbox.close();
  }
}
