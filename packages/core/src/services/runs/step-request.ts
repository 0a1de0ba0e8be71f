/** Puts together again what a model saw in a step, from texts and rows, and says whether every byte is right. */
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { ModelFinder } from "../../loop/loop.ts";
import { layOut } from "../../loop/model-call/request.ts";
import { hashBytes, hashRequest, toRequestText } from "../../loop/model-call/request-text.ts";
import { withImages } from "../../memory/images.ts";
import { loadCounter } from "../../memory/tokens.ts";
import { omit, truncateMessages } from "../../memory/truncate.ts";
import { dropUnpairedCalls, toPromptMessage } from "../../memory/window.ts";
import type { ModelRequest } from "../../model/model.ts";
import { renderBody } from "../../model/observe.ts";
import type { Models } from "../../model/providers.ts";
import type { PromptMessage, ToolDefinition } from "../../shared/content.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { ContextRange } from "../../shared/prompt-snapshot.ts";
import { findContents } from "../../store/conversations/content.ts";
import type { Message } from "../../store/conversations/messages.ts";
import { loadShownMessages, type ShownMessages } from "../../store/conversations/shown-messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { Step } from "../../store/runs/steps.ts";

export const decompress: (bytes: Uint8Array) => Promise<Uint8Array> = promisify(zstdDecompress);

/** What a request says besides its texts. */
export type RequestSettings = Omit<ModelRequest, "system" | "tools" | "messages">;

export interface RebuiltRequest {
  readonly stepId: string;
  /** `wire`: `body` is what goes over HTTP. `request`: the model is not reached so, and it is what it is handed. */
  readonly form: ContextRange["form"];
  readonly settings: RequestSettings;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** In full, as the model was shown them. */
  readonly messages: readonly PromptMessage[];
  /** The rows they were made from. */
  readonly messageIds: readonly string[];
  /** Null where the provider's bytes cannot be made any more: it has no key, for instance. */
  readonly body: Uint8Array | null;
  /** The body's hash is the one that was kept when it was sent. */
  readonly isExact: boolean;
  readonly requestHash: string;
}

export interface Renderer {
  readonly wired: Models;
  readonly finder: Pick<ModelFinder, "findAccess">;
}

export async function rebuildRequest(scope: Scope, renderer: Renderer, step: Step): Promise<RebuiltRequest> {
  const { trail, requestHash } = step;
  if (step.origin !== null) throw notKept(step.id, `it is a call for ${step.origin}, which is kept as a trace only`);
  if (!trail || requestHash === null) throw notKept(step.id, "it asked no model, or none that was recorded");
  const { system, tools, settings } = await loadTexts(scope, step, trail);
  const shown = await loadShownMessages(scope, step, trail);
  const messages = await showMessages(shown, trail);
  const request = await withImages(scope, { ...settings, system, tools, messages });
  const body = await toBody(scope, renderer, request, trail);
  const hash = trail.form === "wire" ? body && hashBytes(body) : hashRequest(request);
  return {
    stepId: step.id,
    form: trail.form,
    settings,
    system,
    tools,
    messages: request.messages,
    messageIds: [...shown.taken, ...shown.own, ...shown.added].map(({ id }) => id),
    body: body ?? null,
    isExact: hash === requestHash,
    requestHash,
  };
}

function notKept(stepId: string, reason: string): MemoirError {
  const message = `what the model saw in ${stepId} cannot be shown: ${reason}; its trace may still be there`;
  return new MemoirError("not-found", message, { details: { entity: "request", id: stepId } });
}

interface Texts {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly settings: RequestSettings;
}

async function loadTexts(scope: Scope, step: Step, { settingsHash }: ContextRange): Promise<Texts> {
  const { systemHash, toolsHash } = step;
  const hashes = { system: systemHash ?? "", tools: toolsHash ?? "", settings: settingsHash };
  const found = await findContents(scope, Object.values(hashes));
  const read = async (name: keyof typeof hashes) => {
    const content = found.get(hashes[name]);
    if (!content) throw notKept(step.id, `its ${name} were not stored before the program stopped`);
    return Buffer.from(await decompress(content.body)).toString();
  };
  return {
    system: await read("system"),
    tools: JSON.parse(await read("tools")) as ToolDefinition[],
    settings: JSON.parse(await read("settings")) as RequestSettings,
  };
}

/** The settings of a step's request, if they are kept. */
export async function findSettings(scope: Scope, { trail }: Step): Promise<RequestSettings | undefined> {
  const hash = trail?.settingsHash;
  const content = hash === undefined ? undefined : (await findContents(scope, [hash])).get(hash);
  return content && (JSON.parse(Buffer.from(await decompress(content.body)).toString()) as RequestSettings);
}

/** As the turn did: what was loaded is made sound, what was added since is so already. */
async function showMessages({ taken, own, added }: ShownMessages, trail: ContextRange): Promise<PromptMessage[]> {
  const show = (messages: readonly Message[]) =>
    messages.flatMap((message) => toPromptMessage(message, trail.timezone) ?? []);
  const context = [...dropUnpairedCalls(show(taken)), ...dropUnpairedCalls(show(own)), ...show(added)];
  const messages = omit(layOut(context, trail), trail.without);
  if (!trail.squeezed) return [...messages];
  const { tokens, endpointKind } = trail.squeezed;
  return truncateMessages(messages, tokens, await loadCounter(endpointKind));
}

async function toBody(
  { orgId }: Scope,
  { wired, finder }: Renderer,
  request: ModelRequest,
  { form }: ContextRange,
): Promise<Uint8Array | undefined> {
  if (form === "request") return Buffer.from(toRequestText(request));
  try {
    return await renderBody(wired.get(request.config, await finder.findAccess(orgId, request.config)), request);
  } catch (error) {
    // Whose provider it was may have deleted it.
    if (isMemoirError(error)) return undefined;
    throw error;
  }
}
