/** Docker or Podman through their common command line: whether the engine is available, and which images it has. */
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
  /** Path of the command, if it is not in a system directory. */
  readonly program?: string;
  /** Environment of the command, for example the engine's address. */
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

  /** Throws if the engine is not installed. */
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

  /** Returns why the engine is unusable, or undefined; success is cached. */
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

  /** Throws if the image is missing; a call never pulls one. */
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

  /** Kills and removes the container of this name, if it exists. */
  async remove(name: string): Promise<void> {
    await this.#ask(["rm", "--force", name]).catch(() => {});
  }

  async #ask(args: readonly string[]): Promise<string> {
    const options = { env: { ...this.environment }, timeout: timeoutMs };
    return (await execute(this.program, [...args], options)).stdout;
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return redact(text.trim().split("\n")[0] ?? "", []).slice(0, 200);
}

export function unavailable(message: string): MemoirError {
  return new MemoirError("unavailable", message);
}
