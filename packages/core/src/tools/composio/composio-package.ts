/** As much of the package `@composio/core` as is used. It is not installed with Memoir, so its own types may not be there. */
export interface ComposioOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  /** Whether its makers are told of every call. */
  readonly allowTracking: boolean;
  /** Whether it asks a registry for newer versions of itself. */
  readonly disableVersionCheck: boolean;
  /** Whether arguments may name files of this machine, to be sent along. */
  readonly dangerouslyAllowAutoUploadDownloadFiles: boolean;
}

export interface ComposioCall {
  readonly userId: string;
  readonly arguments: Record<string, unknown>;
  /** Takes the newest version of an action where none is named. */
  readonly dangerouslySkipVersionCheck: boolean;
}

export interface ComposioResult {
  readonly data: Record<string, unknown>;
  readonly error: string | null;
  readonly successful: boolean;
}

export interface ComposioPackage {
  readonly Composio: new (
    options: ComposioOptions,
  ) => {
    readonly tools: {
      execute(action: string, call: ComposioCall, options: { signal: AbortSignal }): Promise<ComposioResult>;
    };
  };
}
