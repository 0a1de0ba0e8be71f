/** Every command, in the order of the overview. */
import type { Command } from "../command.ts";
import { doctor } from "./doctor.ts";
import { keys } from "./keys.ts";
import { secrets } from "./secrets.ts";
import { serve } from "./serve.ts";

export const commands: readonly Command[] = [serve, doctor, keys, secrets];
