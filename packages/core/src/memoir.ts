/** Memoir as a library: one object that owns a database and offers the services over it. */
import { type Composition, compose } from "./compose.ts";
import type { MemoirOptions } from "./options.ts";
import { ServiceOwner } from "./service-owner.ts";
import type { Services } from "./service-table.ts";
import type { Actor } from "./shared/actor.ts";
import { MemoirError } from "./shared/errors.ts";
import { defaultOrgId, defaultUserId } from "./shared/ids.ts";
import type { MigrationReport } from "./store/engine/migrate.ts";
import { findUser, ping } from "./store/system.ts";

export type { MemoirOptions } from "./options.ts";

export class Memoir extends ServiceOwner {
  readonly #options: MemoirOptions;
  #composition: Composition | undefined;

  constructor(options: MemoirOptions) {
    super();
    this.#options = options;
  }

  /** Opens the database, migrates it, and begins to work. */
  async start(): Promise<MigrationReport> {
    if (this.#composition) throw new MemoirError("invalid-argument", "this Memoir has been started already");
    this.#composition = await compose(this.#options);
    return this.#composition.report;
  }

  async close(): Promise<void> {
    const composition = this.#composition;
    this.#composition = undefined;
    await composition?.close();
  }

  /** The actor of requests that carry no key. */
  get defaultActor(): Actor {
    return { orgId: defaultOrgId, userId: defaultUserId };
  }

  async findActor(userId: string): Promise<Actor | undefined> {
    const user = await findUser(this.#running.store, userId);
    return user && { orgId: user.orgId, userId: user.id };
  }

  /** Where the data lives, fit for showing. */
  get location(): { readonly kind: "sqlite" | "postgres"; readonly path: string } {
    const { store } = this.#running;
    return { kind: store.flavor.name, path: store.location };
  }

  /** Throws when the database does not answer. */
  async ping(): Promise<void> {
    await ping(this.#running.store);
  }

  /** Throws with a sentence when the database does not answer, cannot be written to, or is damaged. */
  async checkReady(): Promise<void> {
    await this.#running.readiness.check();
  }

  protected override get services(): Services {
    return this.#running.services;
  }

  get #running(): Composition {
    if (!this.#composition) throw new MemoirError("invalid-argument", "call start() before using Memoir");
    return this.#composition;
  }
}
