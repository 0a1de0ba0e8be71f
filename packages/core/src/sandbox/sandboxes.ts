/** The sandboxes by name; each is created at first use. */
import { MemoirError } from "../shared/errors.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ContainerKind } from "./containers/container-engine.ts";
import { ContainerSandbox, type ContainerSandboxOptions } from "./containers/container-sandbox.ts";
import { E2bSandbox, type E2bSandboxOptions } from "./e2b/e2b-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

export const sandboxNames = ["local", "docker", "podman", "e2b"] as const;
export type SandboxName = (typeof sandboxNames)[number];
export const defaultSandbox = "local" satisfies SandboxName;

export interface SandboxesOptions {
  /** The sandbox on this machine. */
  readonly local: Sandbox;
  readonly containers?: Omit<ContainerSandboxOptions, "kind">;
  readonly e2b?: E2bSandboxOptions;
  /** Sandbox of tools that name none; defaults to local. */
  readonly defaultSandbox?: SandboxName;
}

export class Sandboxes {
  readonly defaultSandbox: SandboxName;
  readonly #options: SandboxesOptions;
  readonly #containers = new Map<ContainerKind, ContainerSandbox>();
  readonly #remote = new Map<string, E2bSandbox>();

  constructor(options: SandboxesOptions) {
    this.#options = options;
    this.defaultSandbox = options.defaultSandbox ?? defaultSandbox;
  }

  /** `settings`: the organization's configuration of this sandbox. */
  get(name: SandboxName, settings: JsonObject = {}): Sandbox {
    if (name === "local") return this.#options.local;
    return name === "e2b" ? this.#getRemote(settings) : this.#getContainers(name);
  }

  #getContainers(kind: ContainerKind): ContainerSandbox {
    const known = this.#containers.get(kind) ?? new ContainerSandbox({ ...this.#options.containers, kind });
    this.#containers.set(kind, known);
    return known;
  }

  /** The operator's template takes precedence over the organization's. */
  #getRemote({ template: own, timeout: seconds }: JsonObject): E2bSandbox {
    const { e2b = {} } = this.#options;
    const template = e2b.template ?? (typeof own === "string" && own !== "" ? own : undefined);
    const maxMs = typeof seconds === "number" ? seconds * 1000 : undefined;
    const key = JSON.stringify([template, maxMs]);
    const known = this.#remote.get(key) ?? new E2bSandbox({ ...e2b, template, maxMs });
    this.#remote.set(key, known);
    return known;
  }

  async close(): Promise<void> {
    const all = [this.#options.local, ...this.#containers.values(), ...this.#remote.values()];
    await Promise.all(all.map((sandbox) => sandbox.close()));
  }
}

/** Undefined if unset. */
export function readSandboxName(said: unknown, where: string): SandboxName | undefined {
  // Imported tools may carry this mark, which selects the default sandbox.
  if (said === undefined || said === null || said === "modal") return undefined;
  const name = sandboxNames.find((each) => each === said);
  if (name !== undefined) return name;
  const shown = JSON.stringify(said).slice(0, 60);
  throw new MemoirError("invalid-argument", `${where} names the sandbox ${shown}: use ${sandboxNames.join(", ")}`, {
    details: { field: "sandbox" },
  });
}
