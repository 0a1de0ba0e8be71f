/** Everything `npm run bench` measures, in the order of its table: a file in lines/ and an entry here. */
import { context } from "./lines/context.ts";
import { create } from "./lines/create.ts";
import { hostile } from "./lines/hostile.ts";
import { idle } from "./lines/idle.ts";
import { message } from "./lines/message.ts";
import { pages } from "./lines/pages.ts";
import { responsive } from "./lines/responsive.ts";
import { start } from "./lines/start.ts";
import { stream } from "./lines/stream.ts";
import { tools } from "./lines/tools.ts";
import { use } from "./lines/use.ts";
import type { Figure } from "./table.ts";

export type Line = {
  /** The words after `npm run bench --` are looked for in here. */
  name: string;
  run(): Promise<Figure[]>;
};

export const lines: readonly Line[] = [
  start,
  idle,
  create,
  responsive,
  hostile,
  use,
  message,
  stream,
  context,
  pages,
  tools,
];
