/**
 * Bytes as they arrive, copied into one piece of memory that doubles. Whoever writes them one at a time, each in a buffer
 * of its own, would otherwise take a hundred times the memory they are counted for.
 */
export class GatheredBytes {
  #memory = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#memory.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#memory.length));
      larger.set(this.#memory.subarray(0, this.#length));
      this.#memory = larger;
    }
    this.#memory.set(part, this.#length);
    this.#length = length;
  }

  /** The text of all of them, which are then forgotten. */
  take(): string {
    const text = this.toString();
    this.#length = 0;
    return text;
  }

  toString(): string {
    return this.#memory.toString("utf8", 0, this.#length);
  }
}
