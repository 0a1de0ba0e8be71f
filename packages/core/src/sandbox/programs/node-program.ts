/**
 * Runs a JavaScript program as a module until its event loop is empty. It is itself the source of a tool; the program
 * is passed as an argument and written to a file.
 */
export const nodeProgram = String.raw`
import { writeFileSync } from "node:fs";

export async function run_program(code) {
  const folder = process.argv[1];
  const file = folder + "/program.mjs";
  writeFileSync(file, code);
  try {
    await import(file);
    await new Promise((resolve) => process.once("beforeExit", resolve));
    return { value: null, shown: null };
  } catch (error) {
    const isError = error instanceof Error;
    const stack = isError && typeof error.stack === "string" ? error.stack : String(error);
    const lines = stack.split("\n").filter((line) => !/^\s+at .*(node:internal|\[eval\]|tool\.mjs)/.test(line));
    const traceback = lines.join("\n").replaceAll("file://" + folder + "/", "").replaceAll(folder + "/", "");
    return { error: { name: isError ? error.name : "Error", value: isError ? error.message : String(error), traceback } };
  }
}
`;
