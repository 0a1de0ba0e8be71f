/** The help of `memoir serve`, with a line for each setting. */
import { flagOf, type ServerConfig, settings } from "@memoir/server";

export function composeServeHelp(): string {
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
