/**
 * How the work of a parser grows with a text that is made to be awkward. Time is that of the thread, which a busy machine
 * does not change; growth is judged only where there is enough of it to be measured.
 */

const awkward = [
  ...[" ", ".", "/", "\\", "\n", "\r", "\t", "<", ">", "(", ")", "[", "]", "{", "}", '"', "'", "`", "*", "#", "-", "_"],
  ...[",", ";", ":", "=", "&", "@", "+", "!", "?", "|", "$", "%", "~", "^", "0", "a", "A", "\0", "\u00a0", "\u2028"],
  ...["\u0300", "\u{1f600}", "\ud800", "/*", "<!--", "a.", "a-", " <", '\\"', "\r\n", "a\n", "sk-", "\u0300\u0316"],
];
/** What stands before and after many of them. */
const surroundings = [
  ...[
    ["", ""],
    ["", "x"],
    ["a", "x"],
  ],
  ...["<", "(", '"', "/*"].map((beginning) => [beginning, ""]),
];

export interface AwkwardText {
  readonly name: string;
  /** Of about that many characters. */
  write(size: number): string;
}

export const awkwardTexts: readonly AwkwardText[] = awkward.flatMap((unit) =>
  surroundings.map(([beginning = "", end = ""]) => ({
    name: JSON.stringify(`${beginning}${unit}…${end}`),
    write: (size: number) => beginning + unit.repeat(size / unit.length) + end,
  })),
);

const floorMs = 50;
const rounds = 3;
/** Twice the text takes less than three times as long: four times would be quadratic. */
const maxGrowth = 3;
const maxMs = 5_000;

/** What is wrong with how the work grows; undefined when it is linear, or too little to be seen. */
export async function findGrowthFault(
  work: (text: string) => unknown,
  text: AwkwardText,
  size: number,
): Promise<string | undefined> {
  // A tenth first: it shows a quadratic parser without keeping it busy for minutes.
  for (const part of [size / 10, size]) {
    const once = await measure(work, text.write(part), 1);
    if (once > maxMs) return `${text.name}: ${part} characters take ${Math.round(once)} ms`;
    if (part === size && once < floorMs) return undefined;
  }
  const twice = await measure(work, text.write(2 * size), rounds);
  const growth = twice / (await measure(work, text.write(size), rounds));
  return growth < maxGrowth ? undefined : `${text.name}: twice the text takes ${growth.toFixed(1)} times as long`;
}

/** Milliseconds of this thread, the least of some rounds. What is thrown is an answer too. */
async function measure(work: (text: string) => unknown, text: string, times: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round++) {
    const begun = process.threadCpuUsage();
    try {
      await work(text);
    } catch (error) {
      if (error instanceof RangeError) throw error;
    }
    const { user, system } = process.threadCpuUsage(begun);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
