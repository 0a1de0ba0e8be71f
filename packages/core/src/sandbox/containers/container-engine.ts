/** Docker or Podman, through the command that both have: whether it answers, and which images it holds. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { MemoirError } from "../../shared/errors.ts";
import type { SandboxLanguage } from "../language.ts";
import { findSystemProgram } from "../machine.ts";
import { redact } from "../packages/install-fault.ts";

const execute = promisify(execFile);

export type ContainerKind = "docker" | "podman";

export interface EngineOptions {
  readonly kind: ContainerKind;
  /** The command, where it is not among the programs of the system. */
  readonly program?: string;
  /** What the command finds in its environment: where the engine listens, whose it is. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly images?: Partial<Readonly<Record<SandboxLanguage, string>>>;
}

const titles: Readonly<Record<ContainerKind, string>> = { docker: "Docker", podman: "Podman" };
export const defaultImages: Readonly<Record<SandboxLanguage, string>> = {
  python: "python:3.13-slim",
  typescript: "node:24-slim",
};
const timeoutMs = 20_000;

export class ContainerEngine {
  readonly kind: ContainerKind;
  readonly environment: Readonly<Record<string, string>>;
  readonly #options: EngineOptions;
  readonly #ids = new Map<string, Promise<string>>();
  #isAnswering = false;

  constructor(options: EngineOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.environment = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", ...options.environment };
  }

  get title(): string {
    return titles[this.kind];
  }

  /** Throws where it is not installed. */
  get program(): string {
    const found = this.#options.program ?? findSystemProgram(this.kind);
    if (found !== undefined) return found;
    throw unavailable(
      `${this.title} is not installed on this machine (there is no program ${this.kind}): install it, or let the tool run in another sandbox`,
    );
  }

  getImage(language: SandboxLanguage): string {
    return this.#options.images?.[language] ?? defaultImages[language];
  }

  /** Why nothing can be run with it. An engine that answered once is taken at its word. */
  async findFault(): Promise<string | undefined> {
    if (this.#isAnswering) return undefined;
    try {
      await this.#ask(["ps", "--quiet"]);
      this.#isAnswering = true;
      return undefined;
    } catch (error) {
      return error instanceof MemoirError
        ? error.message
        : `${this.title} does not answer: start it (${firstLine(error)})`;
    }
  }

  /** Throws where the image is not there: none is fetched by a call. */
  async getImageId(language: SandboxLanguage): Promise<string> {
    const image = this.getImage(language);
    const known = this.#ids.get(image) ?? this.#inspect(image);
    this.#ids.set(image, known);
    known.catch(() => this.#ids.delete(image));
    return await known;
  }

  async #inspect(image: string): Promise<string> {
    const fault = await this.findFault();
    if (fault !== undefined) throw unavailable(fault);
    try {
      return (await this.#ask(["image", "inspect", "--format", "{{.Id}}", image])).trim();
    } catch {
      throw unavailable(`the image ${image} is not on this machine: fetch it with ${this.kind} pull ${image}`);
    }
  }

  /** Ends a container and all that is in it, if there is one of this name. */
  async remove(name: string): Promise<void> {
    await this.#ask(["rm", "--force", name]).catch(() => {});
  }

  async #ask(words: readonly string[]): Promise<string> {
    const options = { env: { ...this.environment }, timeout: timeoutMs };
    return (await execute(this.program, [...words], options)).stdout;
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return redact(text.trim().split("\n")[0] ?? "", []).slice(0, 200);
}

export function unavailable(message: string): MemoirError {
  return new MemoirError("unavailable", message);
}
