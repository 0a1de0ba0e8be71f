/**
 * Splits stdout of a command without a third channel: the tool's output, a random mark, then the answer; a bounded part
 * of each is kept.
 */
import { BoundedText } from "./bounded-text.ts";

export class MarkedOutput {
  readonly #mark: Buffer;
  readonly #printed: BoundedText;
  readonly #mostAnswer: number;
  #open = Buffer.alloc(0);
  #answer: Buffer[] | undefined;
  #answerBytes = 0;

  constructor(mark: string, most: { readonly printedBytes: number; readonly resultBytes: number }) {
    this.#mark = Buffer.from(mark);
    this.#printed = new BoundedText(most.printedBytes);
    this.#mostAnswer = most.resultBytes;
  }

  add(part: Buffer): void {
    if (this.#answer) {
      this.#keep(part);
      return;
    }
    const data = Buffer.concat([this.#open, part]);
    const place = data.indexOf(this.#mark);
    // A partial mark may be at the end.
    const sure = place >= 0 ? place : Math.max(0, data.length - this.#mark.length + 1);
    this.#print(data.subarray(0, sure));
    this.#open = place >= 0 ? Buffer.alloc(0) : Buffer.from(data.subarray(sure));
    if (place < 0) return;
    this.#answer = [];
    this.#keep(data.subarray(place + this.#mark.length));
  }

  end(): void {
    this.#print(this.#open);
    this.#open = Buffer.alloc(0);
  }

  #print(part: Buffer): void {
    if (part.length > 0) this.#printed.add(part);
  }

  #keep(part: Buffer): void {
    this.#answerBytes += part.length;
    if (!this.isFlooded) this.#answer?.push(part);
  }

  get isFlooded(): boolean {
    return this.#answerBytes > this.#mostAnswer;
  }

  get lines(): string[] {
    return this.#printed.lines;
  }

  /** The text after the mark; undefined without a mark. */
  get answer(): string | undefined {
    return this.#answer && Buffer.concat(this.#answer).toString("utf8");
  }
}
