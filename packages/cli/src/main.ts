/** `memoir`: finds the command and runs it. A refused request is one sentence on standard error, never a stack. */
import { isMemoirError, version } from "@memoir/core";
import { nearest } from "@memoir/server";
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
  const isHelp = ["help", "--help", "-h"].includes(name);
  const topic = command ? name : isHelp ? rest[0] : name;
  if (topic !== undefined && topic !== "help" && !commands[topic]) return rejectCommand(topic, isHelp ? 1 : 2);
  console.log(help(topic));
  return 0;
}

function rejectCommand(name: string, exitCode: number): number {
  const guess = nearest(name, Object.keys(commands));
  const hint = guess ? `; did you mean memoir ${guess}?` : ".";
  console.error(`memoir: there is no command "${name}"${hint} Try: memoir --help`);
  return exitCode;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!isMemoirError(error)) throw error;
  console.error(`memoir: ${error.message}`);
  process.exitCode = 1;
}
