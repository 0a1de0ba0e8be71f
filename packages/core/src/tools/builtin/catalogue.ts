/** Every tool that comes with Memoir: one list, from which rows are seeded, schemas are read and prompts are built. */

import type { BuiltinTool } from "./builtin-tool.ts";
import { coreTools } from "./core-tools.ts";
import { fileTools } from "./file-tools.ts";
import { memoryTools } from "./memory-tools.ts";
import { multiAgentTools } from "./multi-agent-tools.ts";
import { serviceTools } from "./service-tools.ts";
import { sleeptimeTools } from "./sleeptime-tools.ts";
import { voiceTools } from "./voice-tools.ts";

export type { BuiltinTool, BuiltinToolKind, JsonObjectSchema, JsonSchema } from "./builtin-tool.ts";

export const builtinTools: readonly BuiltinTool[] = [
  ...coreTools,
  ...memoryTools,
  ...sleeptimeTools,
  ...voiceTools,
  ...multiAgentTools,
  ...fileTools,
  ...serviceTools,
];
