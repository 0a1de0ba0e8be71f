/** Cuts bytes into lines, until there were too many of them. What each byte costs does not depend on how they arrive. */
import { GatheredBytes } from "./gathered-bytes.ts";

const newline = 10;

export class LineReader {
  readonly #most: number;
  #taken = 0;
  readonly #open = new GatheredBytes();

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
      this.#open.add(part.subarray(begin, end));
      lines.push(this.#open.take());
      begin = end + 1;
    }
    this.#open.add(part.subarray(begin));
    return lines;
  }
}
