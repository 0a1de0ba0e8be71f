/** Which models agents use, how long and how large a reply may be, and how long its trace is kept. */
import { defaultOptions } from "@memoir/core";
import { parseCount, parseDays, parseList, parseModelSeconds, parseText } from "./parsers.ts";
import { defineSetting, parseSwitch } from "./setting.ts";

const megabyte = 2 ** 20;

export const modelSettings = {
  modelRequestTimeout: defineSetting({
    variables: ["MEMOIR_MODEL_REQUEST_TIMEOUT", "LETTA_LLM_REQUEST_TIMEOUT_SECONDS"],
    help: "seconds a model may send nothing, before its reply and within it",
    libraryDefault: defaultOptions.modelRequestSeconds,
    parse: parseModelSeconds,
    toMemoir: (modelRequestSeconds) => ({ modelRequestSeconds }),
  }),
  modelStreamTimeout: defineSetting({
    variables: ["MEMOIR_MODEL_STREAM_TIMEOUT", "LETTA_LLM_STREAM_TIMEOUT_SECONDS"],
    help: "seconds a whole reply of a model may take",
    libraryDefault: defaultOptions.modelStreamSeconds,
    parse: parseModelSeconds,
    toMemoir: (modelStreamSeconds) => ({ modelStreamSeconds }),
  }),
  defaultModel: defineSetting({
    variables: ["MEMOIR_DEFAULT_MODEL", "LETTA_DEFAULT_LLM_HANDLE"],
    help: "model of new agents that name none, as provider/model",
    parse: parseText,
    toMemoir: (defaultModel) => ({ defaultModel }),
  }),
  fallbackModels: defineSetting({
    variables: ["MEMOIR_FALLBACK_MODELS"],
    help: "models to ask when an agent's own does not answer, comma separated",
    default: "",
    parse: parseList,
    toMemoir: (fallbackModels) => ({ fallbackModels }),
  }),
  defaultEmbedding: defineSetting({
    variables: ["MEMOIR_DEFAULT_EMBEDDING", "LETTA_DEFAULT_EMBEDDING_HANDLE"],
    help: "embedding model where none is named",
    parse: parseText,
    toMemoir: (defaultEmbedding) => ({ defaultEmbedding }),
  }),
  discover: defineSetting({
    variables: ["MEMOIR_DISCOVER"],
    help: "look for Ollama and LM Studio on this machine: on or off",
    default: "on",
    parse: parseSwitch,
    toMemoir: (discoverLocal) => ({ discoverLocal }),
  }),
  traceDays: defineSetting({
    variables: ["MEMOIR_TRACE_DAYS"],
    help: "days that traces of calls to models are kept, 0 for none",
    libraryDefault: defaultOptions.traceDays,
    parse: parseDays,
    toMemoir: (traceDays) => ({ traceDays }),
  }),
  maxReplySize: defineSetting({
    variables: ["MEMOIR_MAX_REPLY_SIZE"],
    help: "megabytes that one reply of a model may have; longer ones fail their run",
    libraryDefault: defaultOptions.maxReplyBytes / megabyte,
    parse: parseCount,
    toMemoir: (megabytes) => ({ maxReplyBytes: megabytes * megabyte }),
  }),
};
