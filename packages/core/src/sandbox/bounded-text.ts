/** Keeps the first so many bytes of what a process prints, and counts the rest. */
import { GatheredBytes } from "./gathered-bytes.ts";

export class BoundedText {
  readonly #most: number;
  readonly #kept = new GatheredBytes();
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(part: Buffer): void {
    this.#all += part.length;
    this.#kept.add(part.subarray(0, this.#most - this.#kept.length));
  }

  get text(): string {
    const text = cleanText(this.#kept.toString());
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
