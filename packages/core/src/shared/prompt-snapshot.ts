/**
 * What a model saw in a step, small enough to be kept with each: texts by their hashes, messages by where they stand.
 * Rows are appended and never moved, so a few numbers name thousands of them.
 */
export interface PromptSnapshot {
  readonly systemHash: string;
  readonly toolsHash: string;
  /** Of the bytes that were sent; for a model that is not reached over HTTP, of the request's parts. */
  readonly requestHash: string;
  readonly trail: ContextRange;
}

export interface ContextRange {
  /** `wire`: the request went out over HTTP. `request`: nothing did. */
  readonly form: "wire" | "request";
  /** Hash of what the request said besides its texts: the model's settings, which tool it had to call. */
  readonly settingsHash: string;
  readonly summaryMessageId: string | null;
  /** So many entries, from this position on. */
  readonly entryWatermark: number;
  readonly entries: number;
  /** The conversation's own messages from the one sequence number to the other. */
  readonly watermark: number;
  readonly lastSeq: number;
  /** So many messages of the run after those. */
  readonly added: number;
  readonly timezone: string;
  /** Results of tools were cut to so many characters. */
  readonly returnChars: number;
  /** Thoughts were put back into the arguments of calls. */
  readonly hasThoughts: boolean;
  /** Where the messages had to be shortened to fit: to how many tokens, and whose. */
  readonly squeezed?: { readonly tokens: number; readonly endpointKind: string };
  /** Left out because the provider would not have the request otherwise. */
  readonly without?: Omission;
}

/** `images`: a note stands for each. `history`: only what is being answered was shown. */
export type Omission = "images" | "history";
