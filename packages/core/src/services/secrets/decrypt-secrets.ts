/** What is sealed for an agent or a tool, opened for a call that needs it. */
import type { Runtime } from "../../runtime.ts";
import { listSecrets } from "../../store/access/secrets.ts";
import { secretPlace } from "./secret-scope.ts";

export type OpenSecrets = (orgId: string, ownerId: string) => Promise<Readonly<Record<string, string>>>;

export function createSecretOpener({ store, vault }: Runtime): OpenSecrets {
  return async (orgId, ownerId) => {
    const scope = store.read(orgId);
    const secrets = await listSecrets(scope, [ownerId]);
    return Object.fromEntries(
      secrets.map((secret) => [secret.name, vault.decrypt(secret, secretPlace(scope, ownerId, secret.name))]),
    );
  };
}
