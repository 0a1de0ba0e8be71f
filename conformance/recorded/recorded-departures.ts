/** Where our answers differ from the recorded ones on purpose, and why. Read by recorded.test.ts. */
export interface Departure {
  /** Names of recordings. */
  readonly samples: RegExp;
  /** Places inside the answer; `status` stands for the whole of it. */
  readonly path: RegExp;
  readonly reason: string;
}

const any = /./;
const named = "\\[[\\w-]+\\]";
const place = (text: string) => new RegExp(text.replaceAll("[*]", named));

export const departures: readonly Departure[] = [
  // Words.
  { samples: any, path: /\.system$/, reason: "prompts are our own words" },
  { samples: any, path: /\.compaction_settings\.prompt$/, reason: "prompts are our own words" },
  { samples: any, path: place("tools[*]\\..*\\bdescription$"), reason: "tools are described in our own words" },
  { samples: any, path: place("[*]\\.description$"), reason: "stock descriptions of blocks are our own words" },
  { samples: /^agent-block-/, path: /^body\.description$/, reason: "stock descriptions of blocks are our own words" },
  { samples: any, path: /\bblocks\[memory_persona\]\.value$/, reason: "stock personas are our own words" },
  { samples: /^agent-create-minimal$/, path: /^body\.name$/, reason: "the name is made up at random" },

  // The recording's own circumstances.
  { samples: any, path: /_config\.\w+_endpoint$/, reason: "the recording's provider was a mock on another address" },
  {
    samples: /^(agent-block-by-label|agent-blocks-list|block-(attach|detach|agents))/,
    path: place("(message_ids\\.length|last_stop_reason|human\\]\\.value|^body\\.value)$"),
    reason: "in the recording messages were sent to the agent in between",
  },

  {
    samples: /^blocks-list$/,
    path: /^body\[0\]\.value$/,
    reason: "in the recording messages were sent to the agent in between",
  },
  {
    samples: /^blocks-count$/,
    path: /^body$/,
    reason: "in the recording there were other agents, and blocks we refuse",
  },
  {
    samples: /^(agent-blocks-list|block-attach)/,
    path: /\[project\]\.value$/,
    reason: "it follows from the update over the limit, which we refuse (18.15)",
  },

  // Order that means nothing there.
  { samples: any, path: /\.(tool_rules|tools)\.order$/, reason: "sorted by name here, in no order there" },
  {
    samples: any,
    path: /(blocks|^body)\.order$/,
    reason: "an agent's blocks stand as attached here, in no order there",
  },
  { samples: /^blocks-list$/, path: /^body\[2\]\./, reason: "blocks made in one instant stand in no order there" },
  {
    samples: any,
    path: /\.tags\.order$/,
    reason: "tags are a set: sorted here, so that answers do not vary; there in the order the database reads them",
  },

  // Meant: api.md 18 and design.md.
  { samples: /^health$/, path: /memoir_version$/, reason: "our own version beside the compatible one (design.md)" },
  {
    samples: any,
    path: /\.tools\[archival_memory_(insert|search)\]$/,
    reason: "chat agents have the archival tools (18.19)",
  },
  {
    samples: any,
    path: /\.tool_rules\[continue_loop:archival_memory_(insert|search)\]$/,
    reason: "chat agents have the archival tools (18.19), and the base rules for them",
  },
  {
    samples: /^agent(s-list|-create-sleeptime)$/,
    path: /^body(\[wire-sleeper\])?\.(tools|tool_rules)\[(\w+:)?(send_message|memory_(insert|replace))\]$/,
    reason: "while its partner does not run, a sleep-time agent edits its memory itself and answers in plain text",
  },
  {
    samples: /with-settings$/,
    path: /\[0\]\.value_enc$/,
    reason: "what is stored is nobody's business (api.md 6: null or opaque)",
  },
  { samples: /^block-(create|update)-over-limit$/, path: /^status$/, reason: "block limits are enforced (18.15)" },
  { samples: /^error-bad-agent-name$/, path: /^status$/, reason: "a bad agent name is a 422 (18.5)" },
  {
    samples: /^error-(bad-limit|malformed-agent-id)$/,
    path: /^body\.detail$/,
    reason: "the records are JSON here (api.md 3)",
  },
  {
    samples: /^error-unknown-model$/,
    path: /^body\.detail$/,
    reason: "the list of known handles is not empty (api.md 3)",
  },
  {
    samples: /^error-409-identity-duplicate$/,
    path: /^body\.detail$/,
    reason: "no SQL in answers (fixtures/wire/README)",
  },
  { samples: /duplicate-block-labels$/, path: /^status$/, reason: "two blocks with one label are a conflict (18.17)" },
];
