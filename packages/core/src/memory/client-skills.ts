/** Skills that the sender of a message offers, as the agent reads of them at the end of its instructions. */
import { createQuote } from "./quote.ts";

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly location: string;
}

const quote = createQuote(["skill", "name", "location"]);

export function describeSkills(skills: readonly Skill[] = []): string {
  if (skills.length === 0) return "";
  const items = skills.map(
    ({ name, description, location }) =>
      `<skill>\n<name>${quote(name)}</name>\n<description>${quote(description)}</description>\n` +
      `<location>${quote(location)}</location>\n</skill>`,
  );
  return (
    "\n\n<available_skills>\nInstructions for special tasks. Before you begin a task that one of them describes, " +
    `read the file at its location.\n${items.join("\n")}\n</available_skills>`
  );
}
