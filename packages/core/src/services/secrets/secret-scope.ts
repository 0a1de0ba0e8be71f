/** What an encrypted secret is bound to: its organization, its owner and its name. */
import type { Scope } from "../../store/engine/scope.ts";

export interface AgentSecret {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly description: string | null;
}

export function secretPlace(scope: Scope, ownerId: string, name: string): string {
  return placeOf(scope.orgId, ownerId, name);
}

export function placeOf(orgId: string, ownerId: string, name: string): string {
  return `${orgId}/${ownerId}/${name}`;
}
