/** What an agent sees of an open file: numbered lines under a line that says which they are. */

/** Prose is numbered by sentences: its lines are as long as its paragraphs. */
const proseTypes: ReadonlySet<string> = new Set(["text/markdown"]);

/** Indentation means something here. */
const codePattern = /^(text\/(x-(?!markdown)|css|html|javascript)|application\/(javascript|json|sql|toml|xml|x-))/;

export function viewFile(text: string, mediaType: string | null, maxChars: number): string {
  const isProse = proseTypes.has(mediaType ?? "");
  const units = isProse ? splitSentences(text) : splitLines(text, codePattern.test(mediaType ?? ""));
  const head = `[Viewing file start (out of ${units.length} ${isProse ? "sentences" : "lines"})]`;
  return shorten([head, ...units.map((unit, index) => `${index + 1}: ${unit}`)].join("\n"), maxChars);
}

/** Empty lines are left out, and have no number. */
function splitLines(text: string, isCode: boolean): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => (isCode ? line.trimEnd() : line.trim()));
  return lines.filter((line) => line !== "");
}

function splitSentences(text: string): string[] {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat === "" ? [] : flat.split(/(?<=[.!?]) (?=\p{Lu})/u);
}

const note = "...[TRUNCATED]\n[The view ends here: it is full.]";

function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, Math.max(0, maxChars - note.length))}${note}`;
}
