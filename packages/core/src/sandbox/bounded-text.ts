/** Keeps a bounded prefix of what a process prints and counts the remaining bytes. */
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

  /** At most one element, as tool results store output. */
  get lines(): string[] {
    return this.#all === 0 ? [] : [this.text];
  }
}

/** Databases reject NUL and lone surrogates. */
export function cleanText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
