/** Cuts bytes into lines, until there were too many of them. What each byte costs does not depend on how they arrive. */
const newline = 10;

export class LineReader {
  readonly #most: number;
  #taken = 0;
  #open: Buffer[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get isFlooded(): boolean {
    return this.#taken > this.#most;
  }

  /** The lines that are complete now. */
  add(part: Buffer): string[] {
    this.#taken += part.length;
    if (this.isFlooded) return [];
    const lines: string[] = [];
    let begin = 0;
    for (let end = part.indexOf(newline); end >= 0; end = part.indexOf(newline, begin)) {
      lines.push(Buffer.concat([...this.#open, part.subarray(begin, end)]).toString("utf8"));
      this.#open = [];
      begin = end + 1;
    }
    if (begin < part.length) this.#open.push(part.subarray(begin));
    return lines;
  }
}
