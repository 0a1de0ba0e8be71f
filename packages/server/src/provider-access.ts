/** Keys and addresses of model providers, from the variables people already have set. */
import type { ProviderAccess } from "@memoir/core";

type Environment = Readonly<Record<string, string | undefined>>;

interface ProviderVariables {
  readonly key: string;
  /** The first one set counts. */
  readonly address: readonly string[];
}

const variables: Readonly<Record<string, ProviderVariables>> = {
  openai: { key: "OPENAI_API_KEY", address: ["OPENAI_BASE_URL", "OPENAI_API_BASE"] },
  anthropic: { key: "ANTHROPIC_API_KEY", address: ["ANTHROPIC_BASE_URL"] },
};

export function readProviderAccess(environment: Environment): Record<string, ProviderAccess> {
  return Object.fromEntries(
    Object.entries(variables).map(([provider, { key, address }]) => {
      const baseUrl = address.map((name) => environment[name]).find(Boolean);
      const apiKey = environment[key];
      return [provider, { ...(apiKey ? { apiKey } : {}), ...(baseUrl ? { baseUrl } : {}) }];
    }),
  );
}
