/** The form of a provider's record. Every other list of providers is derived from these records or tested against them. */

/** How a server's Chat Completions differ from the usual. None of it: it takes what most do. */
export interface ChatQuirks {
  /** "auto": it knows no other choice. "unnamed": it can be told to call a tool, but not which. */
  readonly toolChoice?: "auto" | "unnamed";
  /** It calls the output limit so, instead of `max_tokens`. */
  readonly limitField?: "max_completion_tokens";
  /** It can be told whether a reply may call several tools. */
  readonly takesParallel?: true;
  /** "always": its tools are strict wherever their schemas allow it. */
  readonly takesStrict?: true | "always";
  /** The model must see its thoughts again until its turn ends; else they are left out. */
  readonly keepsThoughts?: true;
  /** How it is told to think, where it can be. */
  readonly thinking?: "effort" | "object" | "switch" | "template";
  /** The form that ids of calls must have, and how many characters a made-up one has. */
  readonly callId?: { readonly form: RegExp; readonly length: number };
  /** What stands for a text that is empty, where that is refused. */
  readonly emptyText?: string;
  /** It counts tokens without being asked, and refuses to be asked. */
  readonly countsUnasked?: true;
  /**
   * Run by people on their own machines: needs no key, may lose what a model says when it streams, and runs small models
   * that write calls down instead of making them.
   */
  readonly isLocal?: true;
}

/** How models are listed: by a function of `model/listing`, or only from the catalogue where the provider has no list. */
export type ProviderListing =
  | "anthropic"
  | "azure"
  | "baseten"
  | "bedrock"
  | "catalogue"
  | "cerebras"
  | "deepseek"
  | "google"
  | "groq"
  | "lmstudio"
  | "mistral"
  | "ollama"
  | "openai"
  | "openrouter"
  | "plain"
  | "sglang"
  | "together"
  | "vllm"
  | "xai";

export interface ProviderRow {
  /** Handles begin with it, and stored providers name it as their type. */
  readonly type: string;
  readonly title: string;
  readonly adapter: "openai" | "azure" | "anthropic" | "google" | "vertex" | "bedrock" | "compatible" | "demo";
  /** Null: its user must say. */
  readonly baseUrl: string | null;
  /** Names only, since core reads no environment. The first one that is set counts. */
  readonly keyVariables: readonly string[];
  /** The key variable holds the path of a file, which holds the key. */
  readonly isKeyFile?: true;
  readonly baseUrlVariables: readonly string[];
  /** The variable that replaces `type` at the beginning of handles. */
  readonly handleVariable?: string;
  /** A name from older servers that stored agents still use. */
  readonly formerName?: string;
  /** Sets of variables that each configure it completely; every key variable by itself unless said. */
  readonly detectedBy: readonly (readonly string[])[];
  /** The status page names it even where it is not configured. */
  readonly isSuggested?: true;
  /** The model to try first, known without asking. */
  readonly suggestedModel?: string;
  /** A path below the server's root that answers 200 where the program runs; local servers only. */
  readonly probePath?: string;
  readonly listing: ProviderListing;
  /** The provider whose catalogued models it offers under the same names. */
  readonly modelsOf?: string;
  /** What configs of its models and embeddings name as the kind of their endpoint. */
  readonly endpointKind: string;
  readonly embeddingKind: string;
  /** The name that OpenTelemetry's conventions have for it. */
  readonly telemetryName: string;
  readonly quirks?: ChatQuirks;
  /** False: it refuses the beta headers and options of the protocol it speaks. */
  readonly takesBetas?: false;
  /** How often it is asked in all when it is busy; 3 unless said. */
  readonly tries?: number;
}
