/** A protocol over a provider package: one call of `doStream`, no loop of theirs. */
import type { ModelConfig } from "../../shared/model-config.ts";
import type { Model, ModelRequest } from "../model.ts";
import type { PackageModel, PackageOptions } from "./package-types.ts";
import { type AdapterAccess, type Concessions, type Protocol, speak } from "./protocol.ts";

export type { AdapterAccess, Concessions } from "./protocol.ts";

export interface PackageAdapter extends Pick<Protocol, "concede" | "isHarmless"> {
  open(config: ModelConfig): PackageModel;
  toOptions(request: ModelRequest, without: Concessions): PackageOptions;
}

export function wrapPackage(adapter: PackageAdapter, access: AdapterAccess): Model {
  const { concede, isHarmless } = adapter;
  return speak(
    {
      async send(request, without, abortSignal) {
        const options = adapter.toOptions(request, without);
        const { stream } = await adapter.open(request.config).doStream({ ...options, abortSignal });
        return stream;
      },
      concede,
      ...(isHarmless ? { isHarmless } : {}),
    },
    access,
  );
}
