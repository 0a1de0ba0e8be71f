/** Help that teaches: what each command is for, and the next thing to type. */
import { version } from "@memoir/core";
import { flagOf, type ServerConfig, settings } from "@memoir/server";

export function help(topic?: string): string {
  if (topic === "serve") return serveHelp();
  if (topic === "doctor") return doctorHelp;
  if (topic === "keys") return keysHelp;
  if (topic === "secrets") return secretsHelp;
  return overview;
}

const overview = `Memoir ${version}: agents that write their own memory.

  memoir serve      start the server and the page in the browser
  memoir doctor     check this machine, the database and its settings, or one agent
  memoir keys       make, list and revoke keys for others to use the server with
  memoir secrets    change the encryption key of stored secrets
  memoir help X     more about the command X
  memoir --version

Start here:

  memoir serve
  open http://127.0.0.1:8283

Everything is kept in one file, ~/.memoir/memoir.db, unless you say otherwise:

  memoir serve --database ./team.db
  memoir serve --database postgres://user@host/memoir

Clients written for Letta work with only their base URL changed.`;

function serveHelp(): string {
  const names = Object.keys(settings) as (keyof ServerConfig)[];
  const lines = names.map((name) => {
    const { help: text, variables, isSwitch } = settings[name];
    const flag = `--${flagOf(name)}${isSwitch ? "" : " …"}`;
    return `  ${flag.padEnd(24)}${text}\n  ${"".padEnd(24)}${variables.join(", ")}`;
  });
  return `memoir serve: start the server.

Flags win over the environment variables named below them, those over the file
~/.memoir/config.json (or --config FILE), which holds the same settings by name:
{ "port": 8300, "defaultModel": "openai/gpt-4o-mini" }

${lines.join("\n")}

Agents think with OpenAI or Anthropic when OPENAI_API_KEY or ANTHROPIC_API_KEY is set
(OPENAI_BASE_URL and ANTHROPIC_BASE_URL name other servers that speak the same), and
with memoir/demo, a handful of rules, when nothing is.`;
}

const doctorHelp = `memoir doctor: look at this machine and at the database, change nothing.
memoir doctor AGENT [--fix]: look at one agent, named by its id or its name.

It takes the settings of memoir serve, after AGENT if there is one. Without an agent
it says what is in order, what is missing and how to get it, with --json as JSON, and
exits with 1 when something would keep Memoir from working.

With an agent it explains what an import or an old database left behind: results
without a call, calls without a result, empty messages, a missing system message,
approvals nobody can give any more, runs nobody can work on. With --fix it mends
them, all at once; messages are never changed or deleted. It exits with 0 when the
agent is in order or was mended, with 1 when something remains. A server may be
running on the same database meanwhile.

  memoir doctor agent-0199… --database ./team.db
  memoir doctor agent-0199… --fix --database ./team.db`;

const keysHelp = `memoir keys: who may use this server from elsewhere.

  memoir keys create NAME     make a key and show it, this once
  memoir keys list            all keys, with their roles and last use
  memoir keys revoke KEY_ID   from the next request on it opens nothing

  --role …           owner manages keys and providers, member works with everything
                     else, reader only looks (member)
  --agent …          the key reaches this agent only
  --conversation …   the key reaches this conversation only
  --allow-overrides  a key for one agent or conversation may replace the agent's
                     instructions, model and tools for a message
  --days …           the key expires after so many days
  --database …       as for memoir serve

Callers send it as Authorization: Bearer mk-… A server that listens beyond this
machine needs a password or a key; one on this machine lets anyone in who is on it.`;

const secretsHelp = `memoir secrets rotate: seal all stored secrets with another encryption key.

  --database …       as for memoir serve

Without MEMOIR_ENCRYPTION_KEY a new key is put on top of the key file beside the
database; a server that runs on it takes it up by itself.

With a key of your own, set MEMOIR_ENCRYPTION_KEY to the new one and
MEMOIR_ENCRYPTION_KEY_OLD to the one it replaces. Or just start memoir serve with
both: it answers at once and seals meanwhile.

What is cut off goes on when it is called again, or when the server starts.`;
