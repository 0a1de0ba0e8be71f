/** What the demo makes of a transcript it is to summarise: what the user said, as they said it, for it understands nothing. */

const most = 12;
const longest = 160;

/** Undefined for anything that is no transcript. */
export function summariseTranscript(text: string): string | undefined {
  const lines = text.split("\n");
  if (!lines.includes("--- transcript ---")) return undefined;
  const earlier = lines.filter((line) => line.startsWith("- ")).map((line) => line.slice(2));
  const said = lines.filter((line) => line.startsWith("[user] ")).map((line) => shorten(line.slice("[user] ".length)));
  const kept = [...new Set([...earlier, ...said])].slice(-most);
  if (kept.length === 0) return "The user said nothing in the messages that were left out.";
  return ["Of what the user said:", ...kept.map((line) => `- ${line}`)].join("\n");
}

function shorten(line: string): string {
  return line.length <= longest ? line : `${line.slice(0, longest).toWellFormed()}…`;
}
