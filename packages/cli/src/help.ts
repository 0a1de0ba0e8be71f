/** The overview of all commands, and the next thing to type. */
import { version } from "@memoir/core";
import { commands } from "./commands/list.ts";

export function composeOverview(): string {
  const lines = commands.map(({ name, summary }) => `  memoir ${name.padEnd(11)}${summary}`);
  return `Memoir ${version}: agents that write their own memory.

${lines.join("\n")}
  memoir help X     more about the command X
  memoir --version

Start here:

  memoir serve
  open http://127.0.0.1:8283

Everything is kept in one file, ~/.memoir/memoir.db, unless you say otherwise:

  memoir serve --database ./team.db
  memoir serve --database postgres://user@host/memoir

Clients written for Letta work with only their base URL changed.`;
}
