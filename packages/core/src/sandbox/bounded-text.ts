/** Keeps the first so many bytes of what a process prints, and counts the rest. */
export class BoundedText {
  readonly #most: number;
  readonly #parts: Buffer[] = [];
  #kept = 0;
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(part: Buffer): void {
    this.#all += part.length;
    const room = this.#most - this.#kept;
    if (room <= 0) return;
    const fitting = part.length > room ? part.subarray(0, room) : part;
    this.#parts.push(fitting);
    this.#kept += fitting.length;
  }

  get text(): string {
    const text = cleanText(Buffer.concat(this.#parts).toString("utf8"));
    if (this.#all <= this.#most) return text;
    return `${text}… [NOTE: the output was cut: ${this.#all} bytes, limit ${this.#most}]`;
  }

  /** One text, or none. */
  get lines(): string[] {
    return this.#all === 0 ? [] : [this.text];
  }
}

/** NUL and halves of surrogate pairs are nothing a database takes. */
export function cleanText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
