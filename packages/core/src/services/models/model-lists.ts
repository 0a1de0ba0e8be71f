/** Looking through what providers list: what is known first, the provider itself when that is not enough. */
import { listCatalogued, unknownModel } from "../../model/catalogue.ts";
import type { NamedProvider } from "../../model/listing/list-provider.ts";
import { handleOf } from "../../model/listing/listed-config.ts";
import type { ListedModel } from "../../model/listing/listed-model.ts";
import type { LiveModels } from "../../model/listing/live-models.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";

/** Who is asked for a model. */
export interface Source {
  readonly provider: NamedProvider;
  readonly category: "base" | "byok";
  /** What is stored of its list. */
  synced(): Promise<readonly ListedModel[] | undefined>;
}

export async function pickModel(
  live: LiveModels,
  source: Source,
  handle: string,
  wanted: string,
): Promise<ListedModel> {
  let reason: string | undefined;
  const model = await findListed(live, source, wanted, "llm").catch((error: unknown) => {
    if (!isMemoirError(error)) throw error;
    reason = error.message;
    return undefined;
  });
  if (!model) {
    const known = (live.peek(source.provider) ?? []).filter(({ kind, refusal }) => kind === "llm" && !refusal);
    throw unknownModel(
      handle,
      known.map((item) => handleOf(source.provider, item)),
      reason,
    );
  }
  if (model.refusal === undefined) return model;
  throw new MemoirError("invalid-argument", `${handle} cannot be used: ${model.refusal}`, {
    details: { field: "model" },
  });
}

/** What is known is looked through first; a model that is not there may be new. */
export async function findListed(
  live: LiveModels,
  { provider, synced }: Source,
  wanted: string,
  kind: ListedModel["kind"],
): Promise<ListedModel | undefined> {
  const matches = (model: ListedModel) =>
    model.kind === kind &&
    [
      model.name,
      model.name.replace(/:latest$/, ""),
      handleOf(provider, model).slice(provider.name.length + 1),
    ].includes(wanted);
  const known = live.peek(provider)?.find(matches) ?? (await synced())?.find(matches);
  return known ?? (await live.refresh(provider)).find(matches);
}

/** A provider that does not answer is skipped, unless it is where everybody's is: then what we know of it is listed. */
export async function listBase(live: LiveModels, provider: NamedProvider): Promise<readonly ListedModel[]> {
  try {
    return await live.list(provider);
  } catch {
    return provider.access.baseUrl ? [] : listCatalogued(provider.type);
  }
}

/** What was stored serves until the provider has answered. */
export async function listQuickly(
  live: LiveModels,
  provider: NamedProvider,
  synced: readonly ListedModel[] | undefined,
): Promise<readonly ListedModel[]> {
  const known = live.peek(provider);
  if (known) return known;
  const asked = live.list(provider).catch(() => synced ?? []);
  return synced ?? (await asked);
}
