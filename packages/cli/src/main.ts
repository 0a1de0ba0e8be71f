/** `memoir`: finds the command and runs it. A refused request is one sentence on standard error, never a stack. */
import { isMemoirError, version } from "@memoir/core";
import { nearest } from "@memoir/server";
import { commands } from "./commands/list.ts";
import { composeOverview } from "./help.ts";

const helpWords = ["help", "--help", "-h"];
const versionWords = ["version", "--version", "-v"];

async function main(words: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = words;
  if (versionWords.includes(name)) return print(version);
  if (helpWords.includes(name)) return printHelp(rest[0]);
  const command = findCommand(name);
  if (!command) return rejectCommand(name, 2);
  return rest.some((word) => word === "--help" || word === "-h") ? print(command.help) : await command.run(rest);
}

function printHelp(topic = "help"): number {
  const command = findCommand(topic);
  if (!command && topic !== "help") return rejectCommand(topic, 1);
  return print(command?.help ?? composeOverview());
}

function findCommand(name: string) {
  return commands.find((command) => command.name === name);
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function rejectCommand(name: string, exitCode: number): number {
  const names = commands.map((command) => command.name);
  const guess = nearest(name, names);
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
