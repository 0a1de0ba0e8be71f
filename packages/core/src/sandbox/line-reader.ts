/** Splits a byte stream into lines up to a size limit; the cost per byte does not depend on the chunk size. */
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

  /** Returns the lines that are now complete. */
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
