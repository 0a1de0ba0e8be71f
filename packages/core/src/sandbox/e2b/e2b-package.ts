/** The part of the `e2b` package that is used; declared here because the package is optional. */
export interface E2bConnection {
  readonly apiKey?: string;
  readonly domain?: string;
  readonly apiUrl?: string;
  readonly sandboxUrl?: string;
  readonly signal?: AbortSignal;
}

export interface E2bMachineOptions extends E2bConnection {
  readonly timeoutMs?: number;
  readonly metadata?: Record<string, string>;
  readonly allowInternetAccess?: boolean;
  readonly network?: { readonly allowOut?: string[]; readonly denyOut?: string[] };
}

export interface E2bMachine {
  readonly files: {
    write(files: { path: string; data: string }[], options?: { signal?: AbortSignal }): Promise<unknown>;
  };
  readonly commands: {
    run(
      command: string,
      options?: { cwd?: string; timeoutMs?: number; signal?: AbortSignal },
    ): Promise<{ readonly stdout: string }>;
  };
  kill(): Promise<unknown>;
}

export interface E2bTemplate {
  fromTemplate(template: string): E2bTemplate;
  runCmd(command: string, options?: { user?: string }): E2bTemplate;
}

export interface E2bBuildOptions extends E2bConnection {
  readonly onBuildLogs?: (entry: { readonly message: string }) => void;
}

export interface E2bPackage {
  readonly Sandbox: {
    create(template: string, options?: E2bMachineOptions): Promise<E2bMachine>;
  };
  readonly Template: {
    (): E2bTemplate;
    exists(name: string, options?: E2bConnection): Promise<boolean>;
    build(template: E2bTemplate, name: string, options?: E2bBuildOptions): Promise<unknown>;
  };
}
