/**
 * Collects bytes in one buffer that doubles; keeping each chunk would cost a hundred times the counted memory if a
 * process writes single bytes.
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

  /** Returns the collected text and clears the buffer. */
  take(): string {
    const text = this.toString();
    this.#length = 0;
    return text;
  }

  toString(): string {
    return this.#memory.toString("utf8", 0, this.#length);
  }
}
