/** One HTTP request to a provider and its answer, taken down as its reader reads it. */

/** More of an answer is not kept. */
const maxBytes = 5_000_000;

export class Exchange {
  readonly url: string;
  /** As it was sent. */
  readonly request: Uint8Array;
  /** To be taken out before anything of this is stored. */
  readonly secrets: readonly string[];
  readonly startedAt = Date.now();
  readonly #clock = performance.now();
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  status: number | undefined;
  firstByteMs: number | undefined;
  endedMs: number | undefined;
  error: string | undefined;

  constructor(url: string, request: Uint8Array, secrets: readonly string[]) {
    this.url = url;
    this.request = request;
    this.secrets = secrets;
  }

  /** The same response, whose body passes by here piece by piece, when its reader asks for it. */
  watch(response: Response): Response {
    this.status = response.status;
    if (!response.body) {
      this.#end();
      return response;
    }
    const { status, statusText, headers } = response;
    return new Response(this.#pass(response.body), { status, statusText, headers });
  }

  fail(error: unknown): void {
    this.error ??= error instanceof Error ? error.message : String(error);
    this.#end();
  }

  /** What has come so far; null before the provider said anything. */
  get response(): Uint8Array | null {
    return this.status === undefined ? null : Buffer.concat(this.#pieces);
  }

  get isCut(): boolean {
    return this.#bytes > maxBytes;
  }

  /** What it takes in memory. */
  get size(): number {
    return this.request.length + Math.min(this.#bytes, maxBytes);
  }

  #pass(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader();
    return new ReadableStream(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (done) {
              this.#end();
              controller.close();
            } else {
              this.#add(value);
              controller.enqueue(value);
            }
          } catch (error) {
            this.fail(error);
            controller.error(error);
          }
        },
        cancel: async (reason) => {
          this.#end();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  #add(piece: Uint8Array): void {
    this.firstByteMs ??= performance.now() - this.#clock;
    const room = maxBytes - this.#bytes;
    if (room > 0) this.#pieces.push(piece.length <= room ? piece : piece.subarray(0, room));
    this.#bytes += piece.length;
  }

  #end(): void {
    this.endedMs ??= performance.now() - this.#clock;
  }
}
