/** `memoir`: finds the command and runs it. A refused request is one sentence on standard error, never a stack. */
import { isMemoirError, version } from "@memoir/core";
import { doctor } from "./commands/doctor.ts";
import { keys } from "./commands/keys.ts";
import { secrets } from "./commands/secrets.ts";
import { serve } from "./commands/serve.ts";
import { help } from "./help.ts";

const commands: Readonly<Record<string, (words: readonly string[]) => Promise<number>>> = {
  serve,
  doctor,
  keys,
  secrets,
};

async function main(words: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = words;
  if (name === "--version" || name === "-v" || name === "version") {
    console.log(version);
    return 0;
  }
  const command = commands[name];
  if (command && !rest.includes("--help") && !rest.includes("-h")) return await command(rest);
  const topic = command ? name : rest[0];
  if (command || ["help", "--help", "-h"].includes(name)) {
    console.log(help(topic));
    return 0;
  }
  console.error(`memoir: there is no command "${name}". Try: memoir --help`);
  return 2;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!isMemoirError(error)) throw error;
  console.error(`memoir: ${error.message}`);
  process.exitCode = 1;
}
