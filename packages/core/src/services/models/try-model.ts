/** Asks a model for a word: the surest way to learn whether an address, a key and a name work together. */
import { listCatalogued } from "../../model/catalogue.ts";
import type { NamedProvider } from "../../model/listing/list-provider.ts";
import { toListedConfig } from "../../model/listing/listed-config.ts";
import type { ProviderAccess } from "../../model/model.ts";
import type { Models } from "../../model/providers.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { blameCaller } from "./provider-check.ts";

const timeoutMs = 60_000;

export async function tryModel(models: Models, config: ModelConfig, access: ProviderAccess | undefined): Promise<void> {
  const request = {
    // Enough for a word, too little for a long thought; that a reply is cut off is fine.
    config: {
      ...config,
      maxOutputTokens: 64,
      reasoning: { ...config.reasoning, enabled: false, budgetTokens: 0 },
    },
    system: "Answer with one word.",
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Say hello." }] }],
    tools: [],
    toolChoice: "none" as const,
    parallelToolCalls: false,
    responseFormat: null,
  };
  await blameCaller(async () => {
    for await (const chunk of models.get(config, access).stream(request, AbortSignal.timeout(timeoutMs))) {
      if (chunk.type === "reply") return;
    }
    throw new MemoirError("llm-error", `${config.provider ?? config.endpointKind} did not answer`);
  });
}

/** For providers that have no list to ask for: any of the models we know it has. */
export async function tryProvider(models: Models, provider: NamedProvider): Promise<void> {
  const known = listCatalogued(provider.type).find(({ kind }) => kind === "llm");
  if (!known) {
    throw new MemoirError("invalid-argument", `there is no way to try a provider of the type "${provider.type}"`, {
      details: { field: "provider_type" },
    });
  }
  await tryModel(models, toListedConfig(provider, "byok", known), provider.access);
}
