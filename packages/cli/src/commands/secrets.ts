/** `memoir secrets`: gives the secrets of a database another key. */
import { parseArgs } from "node:util";
import { MemoirError, rotateSecrets } from "@memoir/core";
import { readConfig } from "@memoir/server";
import type { Command } from "../command.ts";

export const secrets: Command = {
  name: "secrets",
  summary: "change the encryption key of stored secrets",
  help: `memoir secrets rotate: seal all stored secrets with another encryption key.

  --database …       as for memoir serve

Without MEMOIR_ENCRYPTION_KEY a new key is put on top of the key file beside the
database; a server that runs on it takes it up by itself.

With a key of your own, set MEMOIR_ENCRYPTION_KEY to the new one and
MEMOIR_ENCRYPTION_KEY_OLD to the one it replaces. Or just start memoir serve with
both: it answers at once and seals meanwhile.

What is cut off goes on when it is called again, or when the server starts.`,
  run: runSecrets,
};

async function runSecrets(words: readonly string[]): Promise<number> {
  const [verb, ...rest] = words;
  if (verb !== "rotate") {
    const fault = verb === undefined ? "say what to do with the secrets" : `there is no command "secrets ${verb}"`;
    throw new MemoirError("invalid-argument", `${fault}: use memoir secrets rotate, or see memoir help secrets`);
  }
  const { config } = readConfig(readFlags(rest), process.env);
  const { database, durability, encryptionKey, encryptionKeyOld } = config;
  const report = await rotateSecrets({ database, durability, encryptionKey, formerKeys: encryptionKeyOld });
  const { sealed, unreadable, keyFile } = report;
  console.log(`Secrets sealed with the new key: ${sealed}.`);
  if (keyFile !== undefined) {
    console.log(
      `The key is the first line of ${keyFile}; former ones stay below it, for older copies of the database.`,
    );
  }
  if (unreadable.length === 0) return 0;
  console.error(`memoir: these do not open and were left as they are; set them again: ${unreadable.join(", ")}`);
  return 1;
}

function readFlags(words: readonly string[]): string[] {
  try {
    const { values } = parseArgs({ args: [...words], options: { database: { type: "string" } } });
    return values.database === undefined ? [] : ["--database", values.database];
  } catch (error) {
    throw new MemoirError("invalid-argument", error instanceof Error ? error.message : String(error));
  }
}
