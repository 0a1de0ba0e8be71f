/**
 * Changes the key of sealed secrets: what a former key sealed is sealed anew with the current one, some at a time. Each
 * batch is a commit of its own, and a row says itself which key it needs, so whoever is cut off goes on where it was; and
 * whoever knows both keys can read everything meanwhile.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Vault } from "../../secrets/vault.ts";
import type { Log } from "../../shared/log.ts";
import { encryptAgain, type StoredSecret } from "../../store/access/secrets.ts";
import type { Store } from "../../store/engine/store.ts";
import { listSecretsOfOtherKeys } from "../../store/system.ts";
import { placeOf } from "./secret-scope.ts";

export interface ResealReport {
  readonly sealed: number;
  /** Ids of secrets that do not open: rows that were changed by hand, or moved. */
  readonly unreadable: readonly string[];
}

interface Resealing {
  readonly store: Store;
  readonly vault: Vault;
  readonly batchSize?: number;
  readonly signal?: AbortSignal;
}

const defaultBatch = 100;

export async function reEncryptSecrets(work: Resealing): Promise<ResealReport> {
  const unreadable = new Set<string>();
  let sealed = 0;
  // Another server, still at work with the former key, may have sealed some behind our back.
  for (;;) {
    const found = await reEncryptOnce(work, unreadable);
    sealed += found;
    if (found === 0) return { sealed, unreadable: [...unreadable] };
  }
}

async function reEncryptOnce(work: Resealing, unreadable: Set<string>): Promise<number> {
  const { store, vault, batchSize = defaultBatch, signal } = work;
  let sealed = 0;
  let after = "";
  for (;;) {
    signal?.throwIfAborted();
    const batch = await listSecretsOfOtherKeys(store, vault.keyId(), after, batchSize);
    for (const [orgId, rows] of Map.groupBy(batch, (row) => row.orgId)) {
      const secrets = rows.map(({ secret }) => secret);
      sealed += await reEncryptBatch(work, orgId, secrets, unreadable);
    }
    const last = batch.at(-1);
    if (!last) return sealed;
    after = last.secret.id;
    await breathe();
  }
}

async function reEncryptBatch(
  { store, vault }: Resealing,
  orgId: string,
  secrets: readonly StoredSecret[],
  unreadable: Set<string>,
): Promise<number> {
  const opened = secrets.flatMap((secret) => {
    const place = placeOf(orgId, secret.ownerId, secret.name);
    try {
      return [{ secret, sealed: vault.encrypt(vault.decrypt(secret, place), place) }];
    } catch {
      unreadable.add(secret.id);
      return [];
    }
  });
  return await store.write(orgId, async (scope) => {
    let count = 0;
    for (const { secret, sealed } of opened) if (await encryptAgain(scope, secret, sealed)) count++;
    return count;
  });
}

export interface BackgroundResealing {
  stop(): Promise<void>;
}

/** For a server that was started with a new key: it answers meanwhile, because it knows both. */
export function startResealing(store: Store, vault: Vault, log: Log, keyIds: readonly string[]): BackgroundResealing {
  if (keyIds.every((keyId) => keyId === vault.keyId())) return { stop: async () => {} };
  const stopping = new AbortController();
  const work = reEncryptSecrets({ store, vault, signal: stopping.signal }).then(
    ({ sealed, unreadable }) => {
      log.info({ sealed }, "secrets were sealed with the current key; former keys are not needed any more");
      if (unreadable.length > 0) log.warn({ unreadable }, "some secrets do not open and keep their former key");
    },
    (error: unknown) => {
      if (!stopping.signal.aborted) {
        log.warn({ err: error }, "not all secrets were sealed with the current key; the next start goes on");
      }
    },
  );
  return {
    stop: async () => {
      stopping.abort();
      await work;
    },
  };
}
