/** The help of `memoir serve`, with a line for each setting. */
import { describeDefault, flagOf, settingNames, settings } from "@memoir/server";

export function composeServeHelp(): string {
  const lines = settingNames.map(describeSetting);
  return `memoir serve: start the server.

Flags win over the environment variables named below them, those over the file
~/.memoir/config.json (or --config FILE), which holds the same settings by name:
{ "port": 8300, "defaultModel": "openai/gpt-4o-mini" }

${lines.join("\n")}

Agents think with OpenAI or Anthropic when OPENAI_API_KEY or ANTHROPIC_API_KEY is set
(OPENAI_BASE_URL and ANTHROPIC_BASE_URL name other servers that speak the same), and
with memoir/demo, a handful of rules, when nothing is.`;
}

function describeSetting(name: (typeof settingNames)[number]): string {
  const setting = settings[name];
  const { help, variables, isSwitch } = setting;
  const flag = `--${flagOf(name)}${isSwitch ? "" : " …"}`;
  const shown = describeDefault(setting);
  const text = isSwitch || shown === "none" ? help : `${help} (${shown})`;
  return `  ${flag.padEnd(24)}${text}\n  ${"".padEnd(24)}${variables.join(", ")}`;
}
