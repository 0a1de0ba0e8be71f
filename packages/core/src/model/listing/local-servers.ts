/** Ollama and LM Studio: servers on somebody's own machine, which know their models better than any table. */
import { llm } from "./chat-lists.ts";
import type { ListedModel, ListingServer, ListModels } from "./listed-model.ts";
import { type Fields, findSize, toFields, toList, toSize, toText, toTexts } from "./read-json.ts";

/** What is asked of Ollama at the same time. */
const asked = 8;

export const listOllama: ListModels = async (server) => {
  const root = serverRoot(server.baseUrl);
  const tags = toFields(await server.ask(`${root}/api/tags`));
  const names = toList(tags.models).flatMap((model) => toText(model.name) ?? toText(model.model) ?? []);
  const models: ListedModel[] = [];
  for (let start = 0; start < names.length; start += asked) {
    const group = names.slice(start, start + asked).map((name) => showModel(server, root, name));
    models.push(...(await Promise.all(group)).flat());
  }
  return models;
};

/** A model that cannot be shown is left out; the others are not. */
async function showModel(server: ListingServer, root: string, name: string): Promise<ListedModel[]> {
  try {
    return readOllama(name, toFields(await server.ask(`${root}/api/show`, { body: { model: name } })));
  } catch {
    return [];
  }
}

function readOllama(name: string, shown: Fields): ListedModel[] {
  const info = toFields(shown.model_info);
  const family = toText(info["general.architecture"]) ?? "";
  const capabilities = toTexts(shown.capabilities);
  if (capabilities.includes("embedding")) {
    const dimension = toSize(info[`${family}.embedding_length`]);
    return [{ kind: "embedding", name, ...(dimension === undefined ? {} : { dimension }) }];
  }
  const trained = toSize(info[`${family}.context_length`]);
  const set = findParameter(toText(shown.parameters) ?? "", "num_ctx");
  // What the server was told to keep counts, not what the model could.
  const window = set === undefined ? (trained ?? 128_000) : Math.min(set, trained ?? set);
  // Versions before 0.6.4 do not tell what a model can do.
  const lacksTools = Array.isArray(shown.capabilities) && !capabilities.includes("tools");
  const refusal = "Ollama says it cannot call tools, which agents need";
  return [llm(name, window, lacksTools ? { refusal } : {})];
}

/** Parameters come as lines: a name, spaces, a value. */
function findParameter(lines: string, name: string): number | undefined {
  const line = lines.split("\n").find((text) => text.trim().split(/\s+/)[0] === name);
  return toSize(line?.trim().split(/\s+/)[1]);
}

export const listLmStudio: ListModels = async (server) => {
  const answer = toFields(await server.ask(`${serverRoot(server.baseUrl)}/api/v0/models`));
  return toList(answer.data).flatMap((model) => {
    const name = toText(model.id);
    return name === undefined ? [] : readLmStudio(name, model);
  });
};

function readLmStudio(name: string, model: Fields): ListedModel[] {
  if (model.type === "embeddings") return [{ kind: "embedding", name }];
  const format = model.compatibility_type;
  if ((model.type !== "llm" && model.type !== "vlm") || format === undefined) return [];
  const window = findSize(model, "loaded_context_length", "max_context_length");
  return [llm(name, window, format === "gguf" || format === "mlx" ? { weightsFormat: format } : {})];
}

/** The address of the program itself: people give it with the path of its OpenAI-compatible part, or without. */
export function serverRoot(baseUrl: string): string {
  return baseUrl.replace(/\/(v1|api|api\/v0)$/, "");
}
