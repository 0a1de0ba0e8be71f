/**
 * Writes traces, and the texts that steps reference by hash, in the background: compressed and in small commits. A
 * trace must not fail a turn, so traces are dropped, with a warning, when the database is unreachable or the buffer is
 * full.
 */
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync } from "node:zlib";
import type { Log } from "../shared/log.ts";
import { hashContent, putContents, type StoredContent } from "../store/conversations/content.ts";
import type { Store } from "../store/engine/store.ts";
import { insertTraces, type StoredTrace } from "../store/runs/traces.ts";

const compressOnThreadPool = promisify(zstdCompress);
/** The fastest zstd level; the repetitions in prompts compress equally well at every level. */
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Below 100 KB compressing on the main thread is faster than a thread-pool round trip: 50 KB take 0.08 ms. */
const minThreadPoolBytes = 100_000;

async function compress(text: Uint8Array | string): Promise<Uint8Array> {
  return text.length < minThreadPoolBytes ? zstdCompressSync(text, level) : await compressOnThreadPool(text, level);
}

/** A trace before compression. */
export interface TraceDraft extends Omit<StoredTrace, "id" | "createdAt" | "request" | "response"> {
  readonly orgId: string;
  /** Approximate memory use in bytes. */
  readonly size: number;
  /** Called at write time, so that a turn does not wait for redaction and serialization. */
  readonly render: () => { readonly request: Uint8Array | string; readonly response: Uint8Array | string | null };
}

export interface TraceWriterOptions {
  /** Texts are stored even if this is false. */
  readonly keepsTraces: boolean;
  readonly intervalMs?: number;
  /** Maximum number of buffered traces, and of buffered texts. */
  readonly maxWaiting?: number;
  readonly maxBytes?: number;
}

/** Media type of the compressed texts that steps reference by hash. */
export const textType = "text/plain; compression=zstd";

const maxKnown = 20_000;
/** Limits how long `close` waits for an unreachable database. */
const timeoutMs = 5_000;
/** Compressing and committing a batch within these limits takes a few milliseconds. */
const tracesPerCommit = 10;
const bytesPerCommit = 1_000_000;

interface Text {
  readonly orgId: string;
  readonly hash: string;
  readonly text: string;
}

type Waiting = TraceDraft & Pick<StoredTrace, "id" | "createdAt">;

export class TraceWriter {
  readonly #store: Store;
  readonly #log: Log;
  readonly #options: Required<TraceWriterOptions>;
  /** Keys of texts that are already stored. */
  readonly #known = new Set<string>();
  readonly #texts = new Map<string, Text>();
  #drafts: Waiting[] = [];
  #bytes = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(store: Store, log: Log, options: TraceWriterOptions) {
    this.#store = store;
    this.#log = log;
    this.#options = { intervalMs: 1_000, maxWaiting: 400, maxBytes: 64_000_000, ...options };
  }

  /** Returns the hash of `text` and queues the text for storage unless it is already stored. */
  keepText(orgId: string, text: string): string {
    const hash = hashContent(textType, text);
    const key = `${orgId}/${hash}`;
    if (this.#known.has(key) || this.#texts.has(key) || this.#texts.size >= this.#options.maxWaiting) return hash;
    this.#texts.set(key, { orgId, hash, text });
    this.#wake();
    return hash;
  }

  keep(draft: TraceDraft): void {
    const { keepsTraces, maxWaiting, maxBytes } = this.#options;
    if (!keepsTraces) return;
    if (this.#drafts.length >= maxWaiting || this.#bytes + draft.size > maxBytes) {
      this.#dropped++;
      return;
    }
    this.#bytes += draft.size;
    this.#drafts.push({ ...draft, id: this.#store.newId("provider_trace"), createdAt: this.#store.now() });
    if (this.#drafts.length === Math.ceil(maxWaiting / 4)) void this.flush();
    else this.#wake();
  }

  /** Resolves when everything buffered so far is stored or dropped; never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work = this.#work.then(() => this.#writeAll());
    return this.#work;
  }

  async close(): Promise<void> {
    await Promise.race([this.flush(), sleep(timeoutMs, undefined, { ref: false })]);
  }

  #wake(): void {
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.intervalMs).unref();
  }

  async #writeAll(): Promise<void> {
    const batch = this.#drafts;
    this.#drafts = [];
    this.#bytes = 0;
    if (this.#dropped > 0) {
      this.#log.warn({ dropped: this.#dropped }, "traces were dropped: more came than could be written");
    }
    this.#dropped = 0;
    const texts = Map.groupBy(this.#texts, ([, { orgId }]) => orgId);
    const drafts = Map.groupBy(batch, ({ orgId }) => orgId);
    for (const orgId of new Set([...texts.keys(), ...drafts.keys()])) {
      await this.#writeTexts(orgId, texts.get(orgId) ?? []);
      await this.#writeTraces(orgId, drafts.get(orgId) ?? []);
    }
  }

  async #writeTexts(orgId: string, waiting: readonly [string, Text][]): Promise<void> {
    try {
      const contents: StoredContent[] = [];
      for (const [, { hash, text }] of waiting) {
        contents.push({ hash, mediaType: textType, body: await compress(text) });
      }
      if (contents.length > 0) await this.#store.write(orgId, (scope) => putContents(scope, contents));
      if (this.#known.size > maxKnown) this.#known.clear();
      for (const [key] of waiting) {
        this.#texts.delete(key);
        this.#known.add(key);
      }
    } catch (error) {
      // The texts stay buffered and are retried with the next batch.
      this.#log.warn({ err: error, texts: waiting.length }, "texts of steps could not be stored yet");
    }
  }

  async #writeTraces(orgId: string, batch: readonly Waiting[]): Promise<void> {
    try {
      for (const part of splitIntoBatches(batch)) {
        const traces: StoredTrace[] = [];
        for (const draft of part) traces.push(await compressTrace(draft));
        await this.#store.write(orgId, (scope) => insertTraces(scope, traces));
        await yieldToEventLoop();
      }
    } catch (error) {
      this.#log.warn({ err: error, traces: batch.length }, "traces could not be stored and are dropped");
    }
  }
}

function* splitIntoBatches(drafts: readonly Waiting[]): Generator<Waiting[]> {
  let batch: Waiting[] = [];
  let size = 0;
  for (const draft of drafts) {
    if (batch.length >= tracesPerCommit || (batch.length > 0 && size + draft.size > bytesPerCommit)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(draft);
    size += draft.size;
  }
  if (batch.length > 0) yield batch;
}

async function compressTrace({ orgId: _, size: __, render, ...draft }: Waiting): Promise<StoredTrace> {
  const { request, response } = render();
  return {
    ...draft,
    request: await compress(request),
    response: response === null ? null : await compress(response),
  };
}
