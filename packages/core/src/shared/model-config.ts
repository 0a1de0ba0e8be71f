/** The stored model configuration of an agent, in core's own names. */
export interface Reasoning {
  readonly enabled: boolean;
  readonly effort: ReasoningEffort | null;
  readonly budgetTokens: number;
}

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
export type Effort = "low" | "medium" | "high" | "max";
export type Verbosity = "low" | "medium" | "high";

export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | { readonly type: "json_schema"; readonly json_schema: Readonly<Record<string, unknown>> };

export interface ModelConfig {
  /** `<provider name>/<model name>`; null if the caller passed a complete configuration. */
  readonly handle: string | null;
  readonly model: string;
  readonly displayName: string | null;
  readonly provider: string | null;
  readonly category: "base" | "byok" | null;
  /** Protocol of the endpoint: openai, anthropic, google_ai, … */
  readonly endpointKind: string;
  readonly endpoint: string | null;
  readonly contextWindow: number;
  readonly maxOutputTokens: number | null;
  readonly temperature: number;
  readonly reasoning: Reasoning;
  readonly effort: Effort | null;
  readonly verbosity: Verbosity | null;
  readonly frequencyPenalty: number | null;
  readonly parallelToolCalls: boolean;
  readonly strict: boolean;
  readonly responseFormat: ResponseFormat | null;
  /** Makes models without native reasoning write a thought into each tool call. */
  readonly thoughtsInArguments: boolean;
  readonly wrapper: string | null;
  readonly weightsFormat: "gguf" | "mlx" | null;
  readonly tier: string | null;
  readonly returnLogprobs: boolean;
  readonly topLogprobs: number | null;
  readonly returnTokenIds: boolean;
  readonly toolCallParser: string | null;
}

export interface EmbeddingConfig {
  readonly handle: string | null;
  readonly model: string;
  readonly endpointKind: string;
  readonly endpoint: string | null;
  readonly dimension: number;
  readonly chunkSize: number | null;
  readonly batchSize: number;
  readonly azureEndpoint: string | null;
  readonly azureVersion: string | null;
  readonly azureDeployment: string | null;
}
