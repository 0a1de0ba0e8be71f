/**
 * Everything that reads foreign text takes linear time, whatever the text is: one thread serves everybody. The table has
 * each exported function of the files that read such text, or says why it need not be measured.
 */
import { expect, test } from "vitest";
import { createArgumentReader } from "../../server/src/letta/messages/partial-json.ts";
import { fromWireTime } from "../../server/src/letta/shared/time.ts";
import { matchesBySpacing, rejectDisplayAids, replaceAllText, replaceOneText } from "./memory/edit.ts";
import { readEnvelope, readEvicted, readSummary } from "./memory/envelopes.ts";
import { viewFile } from "./memory/file-view.ts";
import { applyHunks, parsePatch } from "./memory/patch.ts";
import { createQuote, ownTag } from "./memory/quote.ts";
import { searchWords } from "./memory/search-words.ts";
import { parseTimestamp } from "./memory/timestamps.ts";
import { cutMiddle, toTranscript } from "./memory/transcript.ts";
import { diffTexts } from "./memory/unified-diff.ts";
import { createAwsEventReader } from "./model/adapters/aws-events.ts";
import { createByteQueue } from "./model/adapters/byte-queue.ts";
import { findMessage } from "./model/adapters/http.ts";
import { cleanText, fitCallId, parseArguments, readImage, wrapEvent } from "./model/adapters/prompt.ts";
import { createThinkSplitter } from "./model/adapters/think-tags.ts";
import { createCallGuess, findWrittenCall } from "./model/adapters/written-call.ts";
import { toChunks } from "./model/chunks.ts";
import { recallFacts } from "./model/demo-answers.ts";
import { readBlocks } from "./model/demo-memory.ts";
import { understand } from "./model/demo-rules.ts";
import { embedText } from "./model/embedders/lexical.ts";
import { readRetryAfter, redact, toModelError } from "./model/errors.ts";
import {
  findAddressFault,
  findMetadataFault,
  isMetadataAddress,
  isPrivateAddress,
} from "./network/private-addresses.ts";
import { describeFault, redact as redactInstall } from "./sandbox/packages/install-fault.ts";
import { readRequirements } from "./sandbox/packages/requirements.ts";
import { findRuns, findText, splitText } from "./shared/find-runs.ts";
import { normalizeText } from "./shared/normalize.ts";
import { stripTrailingSlashes, trimEndOf } from "./shared/trim.ts";
import { awkwardTexts, findGrowthFault } from "./testing/growth.ts";
import { encodeAwsEvent } from "./testing/scripted-bedrock.ts";
import { readSources } from "./testing/sources.ts";
import * as toolArguments from "./tools/arguments.ts";
import { actionOf } from "./tools/composio/action.ts";
import { takesAnyArguments } from "./tools/open-parameters.ts";
import { findHeaderFault } from "./tools/rest/headers.ts";
import { parseUrlTemplate } from "./tools/rest/url-template.ts";
import { shorten } from "./tools/source/nodes.ts";
import { readDocstring } from "./tools/source/python/docstring.ts";
import { readComment } from "./tools/source/typescript/comments.ts";
import { findUnclosed } from "./tools/source/unclosed.ts";
import { decodeReferences } from "./tools/web/character-references.ts";
import { readTokens } from "./tools/web/html-tokens.ts";
import { parseHtml } from "./tools/web/html-tree.ts";
import { findMainContent } from "./tools/web/main-content.ts";
import { toMarkdown } from "./tools/web/markdown.ts";

const page = (html: string) => toMarkdown(findMainContent(parseHtml(html).body), new URL("http://a.test/"));
const marks = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"|["'`()[\]{}]/g;
const context = { provider: "p", model: "m" };
const message = (text: string) => ({ role: "user", content: [{ type: "text", text }], toolCalls: [], toolReturns: [] });
const reply = (text: string) => ({ content: [{ type: "text", text }], toolCalls: [] });

/** Sixteen bytes each, as a server may send them. */
function inSmallChunks(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / 16);
  return Array.from({ length: count }, (_, index) => bytes.subarray(16 * index, 16 * index + 16));
}

type Parser = (text: string) => unknown;

/** By file and name. */
const parsers: Readonly<Record<string, Parser>> = {
  "core/src/network/private-addresses.ts findAddressFault": (text) => findAddressFault(`http://a.test/${text}`, []),
  "core/src/network/private-addresses.ts findMetadataFault": (text) =>
    findMetadataFault(`http://a.test/${text}`, [], "setting"),
  "core/src/network/private-addresses.ts isPrivateAddress": isPrivateAddress,
  "core/src/network/private-addresses.ts isMetadataAddress": isMetadataAddress,
  "core/src/shared/find-runs.ts findRuns": (text) => [...findRuns(text, `${text.slice(0, text.length / 2)}x`)],
  "core/src/shared/find-runs.ts findText": (text) =>
    findText(text, `${text.slice(0, text.length / 4)}x${text.slice(0, text.length / 4)}`),
  "core/src/shared/find-runs.ts splitText": (text) => splitText(text, `${text.slice(0, text.length / 4)}x`),
  "core/src/memory/edit.ts matchesBySpacing": (text) => matchesBySpacing(text, `x${text.slice(0, text.length / 2)}x`),
  "core/src/memory/edit.ts rejectDisplayAids": (text) => rejectDisplayAids("value", text),
  "core/src/memory/edit.ts replaceAllText": (text) => replaceAllText("a", text, `${text.slice(0, 300)}x`, ""),
  "core/src/memory/edit.ts replaceOneText": (text) =>
    replaceOneText("a", text, `${text.slice(0, text.length / 2)}x`, ""),
  "core/src/memory/envelopes.ts readEnvelope": readEnvelope,
  "core/src/memory/envelopes.ts readEvicted": (text) => readEvicted(JSON.stringify({ message: text })),
  "core/src/memory/envelopes.ts readSummary": readSummary,
  "core/src/memory/file-view.ts viewFile": (text) => viewFile(text, "text/plain", 50_000),
  "core/src/memory/timestamps.ts parseTimestamp": (text) => parseTimestamp(text, "UTC"),
  "core/src/memory/patch.ts applyHunks": (text) => {
    const [first] = parsePatch("a", ` ${text.replaceAll("\n", "\n ")}\n+x`).operations;
    return first?.type === "update" && applyHunks("a", `${text}\ny\n${text}`, first.hunks);
  },
  "core/src/memory/patch.ts parsePatch": (text) =>
    parsePatch("a", `*** Add Block: a\n+${text.replaceAll("\n", "\n+")}`),
  "core/src/memory/quote.ts createQuote": (text) => createQuote(["human"])(text),
  "core/src/memory/quote.ts ownTag": ownTag,
  "core/src/memory/search-words.ts searchWords": searchWords,
  "core/src/memory/transcript.ts cutMiddle": (text) => cutMiddle(text, 1_000),
  "core/src/memory/transcript.ts toTranscript": (text) => toTranscript([message(text) as never]),
  "core/src/memory/unified-diff.ts diffTexts": (text) => diffTexts(text, `x${text.replaceAll("\n", "\nb")}`),
  "core/src/model/adapters/aws-events.ts createAwsEventReader": (text) => {
    const { add } = createAwsEventReader();
    return inSmallChunks(encodeAwsEvent({ ":event-type": "a" }, "event", { text })).flatMap(add);
  },
  "core/src/model/adapters/byte-queue.ts createByteQueue": (text) => {
    const queue = createByteQueue();
    for (const bytes of inSmallChunks(Buffer.from(text))) queue.add(bytes);
    while (queue.length > 0) queue.take(Math.min(queue.length, 10));
  },
  "core/src/model/adapters/http.ts findMessage": findMessage,
  "core/src/model/adapters/prompt.ts cleanText": cleanText,
  "core/src/model/adapters/prompt.ts fitCallId": (text) => fitCallId(text, /^[\w-]{1,64}$/),
  "core/src/model/adapters/prompt.ts parseArguments": parseArguments,
  "core/src/model/adapters/prompt.ts readImage": (url) => readImage({ type: "url", url }),
  "core/src/model/adapters/prompt.ts wrapEvent": wrapEvent,
  "core/src/model/adapters/think-tags.ts createThinkSplitter": (text) => createThinkSplitter().add(`<think>${text}`),
  "core/src/model/adapters/written-call.ts findWrittenCall": (text) => findWrittenCall(text, []),
  "core/src/model/adapters/written-call.ts createCallGuess": (text) => createCallGuess()(text),
  "core/src/model/chunks.ts toChunks": (text) => toChunks(reply(text) as never),
  "core/src/model/demo-answers.ts recallFacts": (value) =>
    recallFacts("Name", [{ label: "human", value, isReadOnly: false }]),
  "core/src/model/demo-memory.ts readBlocks": (text) => readBlocks(`<memory_blocks>\n${text}\n</memory_blocks>`),
  "core/src/model/demo-rules.ts understand": (text) => understand(`remember ${text}`),
  "core/src/model/embedders/lexical.ts embedText": (text) => embedText(text, 512),
  "core/src/model/errors.ts readRetryAfter": (text) => readRetryAfter({ "retry-after": text }, Date.now),
  "core/src/model/errors.ts redact": (text) => redact(text),
  "core/src/model/errors.ts toModelError": (text) =>
    toModelError({ message: text, responseBody: text, statusCode: 400 }, context),
  "core/src/shared/normalize.ts normalizeText": (text) => normalizeText(text, "NFC"),
  "core/src/sandbox/packages/install-fault.ts describeFault": (text) =>
    describeFault("npm", { language: "typescript", packages: ["a"] }, ["E404", text]),
  "core/src/sandbox/packages/install-fault.ts redact": (text) => redactInstall(text, []),
  "core/src/sandbox/packages/requirements.ts readRequirements": (text) =>
    readRequirements("python", [{ name: `a${text}` }]),
  "core/src/tools/arguments.ts parseArguments": (text) => toolArguments.parseArguments(`{"a":"${text}`),
  "core/src/tools/composio/action.ts actionOf": (source) => actionOf({ name: "a", source }),
  "core/src/tools/open-parameters.ts takesAnyArguments": (text) =>
    takesAnyArguments({ name: "a", source: `def a(${text}**` }),
  "core/src/tools/rest/headers.ts findHeaderFault": (text) => findHeaderFault("a", text),
  "core/src/tools/rest/url-template.ts parseUrlTemplate": (text) => parseUrlTemplate(`http://a.test/${text}`, "url"),
  "core/src/tools/source/nodes.ts shorten": shorten,
  "core/src/tools/source/python/docstring.ts readDocstring": (text) =>
    readDocstring(`x\n\nArgs:\n    a${text}\n${text}`),
  "core/src/tools/source/typescript/comments.ts readComment": (text) =>
    readComment(`/** a\n@param b${text}\n${text}*/`),
  "core/src/tools/source/unclosed.ts findUnclosed": (text) => findUnclosed(text, marks),
  "core/src/tools/web/character-references.ts decodeReferences": decodeReferences,
  "core/src/tools/web/html-tokens.ts readTokens": (text) => [...readTokens(text)],
  "core/src/tools/web/html-tree.ts parseHtml": (text) => parseHtml(`<p style="${text}">${text}`),
  "core/src/tools/web/main-content.ts findMainContent": (text) => findMainContent(parseHtml(text).body),
  "core/src/tools/web/markdown.ts toMarkdown": (text) =>
    page(`<article><pre>a${text}</pre><table><tr><td>${text}<td>${text}</table>${text}</article>`),
  "core/src/shared/trim.ts stripTrailingSlashes": stripTrailingSlashes,
  "core/src/shared/trim.ts trimEndOf": (text) => trimEndOf(text, /\s/),
  "server/src/letta/messages/partial-json.ts createArgumentReader": (text) =>
    createArgumentReader(["a"]).add(`{"a":"${text}`),
  "server/src/letta/shared/time.ts fromWireTime": fromWireTime,
};

/** Exported by the same files, but no readers of text: they take what a parser made of it, or text of ours. */
const others = new Set([
  ...["network/private-addresses.ts bareHost", "network/private-addresses.ts guardedLookup"],
  ...["memory/edit.ts appendText", "memory/edit.ts insertText", "memory/edit.ts describeLines"],
  ...[
    "userEnvelope",
    "systemEnvelope",
    "loginEnvelope",
    "heartbeatEnvelope",
    "toolReturnEnvelope",
    "summaryEnvelope",
  ].map((name) => `memory/envelopes.ts ${name}`),
  ...["readSpan", "formatTimestamp", "formatExactTimestamp", "formatAge"].map((name) => `memory/timestamps.ts ${name}`),
  ...[
    "memory/transcript.ts splitTranscript",
    "memory/transcript.ts cutToTokens",
    "memory/unified-diff.ts toUnifiedText",
  ],
  // Hands every chunk to the reader above.
  "model/adapters/aws-events.ts readAwsEvents",
  "model/adapters/http.ts post",
  ...["toPackagePrompt", "toPackageTools", "toPackageChoice", "toPackageFormat"].map(
    (name) => `model/adapters/prompt.ts ${name}`,
  ),
  ...["model/demo-answers.ts greet", "model/demo-answers.ts reportResult"],
  ...["chooseBlock", "toLine", "noteFacts", "dropLine", "findLines"].map((name) => `model/demo-memory.ts ${name}`),
  "model/embedders/lexical.ts createLexicalEmbedder",
  ...["isRetryable", "cutStream", "createModelError"].map((name) => `model/errors.ts ${name}`),
  ...["sandbox/packages/install-fault.ts introduce", "sandbox/packages/requirements.ts nameSet"],
  // Schemas and their patterns are checked on a thread.
  ...["checkArguments", "findMisfit"].map((name) => `tools/arguments.ts ${name}`),
  ...[
    "tools/rest/url-template.ts refuse",
    "tools/source/nodes.ts findFault",
    "tools/source/typescript/comments.ts findComment",
  ],
  ...["tools/web/html-tree.ts isSeen", "tools/web/main-content.ts isAround"],
  ...["server/src/letta/shared/time.ts toWireTime", "server/src/letta/shared/time.ts toWireDate"],
]);

/** What is quadratic takes a second at this size, and most of what is linear stays below the floor of the measurement. */
const size = 40_000;

test.for(Object.entries(parsers))("%s takes linear time on any text", async ([, parse]) => {
  const faults: string[] = [];
  for (const text of awkwardTexts) {
    const fault = await findGrowthFault(parse, text, size);
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
});

test("every exported function of a file that reads foreign text is measured, or named as none that reads", () => {
  const files = new Set(Object.keys(parsers).map((name) => name.split(" ")[0]));
  const exported = ["core", "server"]
    .flatMap((name) => readSources(`packages/${name}/src`))
    .flatMap(({ path, program }) => {
      const short = path.replace("packages/", "");
      if (!files.has(short)) return [];
      return program.body.flatMap((node) => {
        const declared = node.type === "ExportNamedDeclaration" ? node.declaration : null;
        return declared?.type === "FunctionDeclaration" && declared.id ? [`${short} ${declared.id.name}`] : [];
      });
    });
  expect(exported.filter((name) => !(name in parsers) && !others.has(name.replace("core/src/", "")))).toEqual([]);
});
