/** The model of a request, with the keys it needs and those that stand in for it behind it. */
import { withFallback } from "../../model/fallback.ts";
import type { Model } from "../../model/model.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import type { Loop } from "../loop.ts";

export async function openModel(loop: Loop, orgId: string, config: ModelConfig): Promise<Model> {
  const own = await open(loop, orgId, config);
  const others = loop.fallbacks.filter((handle) => handle !== config.handle);
  return others.length === 0 ? own : withFallback([own, ...others.map((handle) => standIn(loop, orgId, handle))]);
}

async function open({ models, finder }: Loop, orgId: string, config: ModelConfig): Promise<Model> {
  return models.get(config, await finder.findAccess(orgId, config));
}

/** Found when it is needed: it may not be there itself, and most requests never come to it. */
function standIn(loop: Loop, orgId: string, handle: string): Model {
  return {
    async *stream(request, signal) {
      const config = await loop.finder.resolve(orgId, handle);
      loop.log.warn({ model: request.config.handle, instead: handle }, "a model does not answer; another is asked");
      yield* (await open(loop, orgId, config)).stream({ ...request, config }, signal);
    },
  };
}
