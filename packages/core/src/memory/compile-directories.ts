/** Folders and files as they stand in the prompt. Names and texts are users' own and cannot forge structure. */
import type { Directory, DirectoryFile } from "../store/files/directories.ts";
import type { Quote } from "./quote.ts";

export interface DirectoryLimits {
  readonly maxFilesOpen: number;
  /** Longer views are cut. */
  readonly viewChars: number;
}

export function compileDirectories(directories: readonly Directory[], limits: DirectoryLimits, quote: Quote): string {
  if (directories.length === 0) return "";
  const open = directories.flatMap(({ files }) => files).filter(({ visible }) => visible !== "").length;
  return [
    "<directories>",
    "<file_limits>",
    `- current_files_open=${open}`,
    `- max_files_open=${limits.maxFilesOpen}`,
    "</file_limits>",
    ...directories.flatMap((directory) => compileDirectory(directory, limits, quote)),
    "</directories>",
  ].join("\n");
}

function compileDirectory(directory: Directory, limits: DirectoryLimits, quote: Quote): string[] {
  const { name, description, instructions, files } = directory;
  return [
    `<directory name="${attribute(name)}">`,
    ...(description ? ["<description>", quote(description), "</description>"] : []),
    ...(instructions ? ["<instructions>", quote(instructions), "</instructions>"] : []),
    ...files.flatMap((file) => compileFile(file, limits, quote)),
    "</directory>",
  ];
}

function compileFile({ name, visible }: DirectoryFile, { viewChars }: DirectoryLimits, quote: Quote): string[] {
  const isOpen = visible !== "";
  const text =
    visible.length > viewChars
      ? `${visible.slice(0, viewChars)}\n[cut here: the view holds ${viewChars} characters]`
      : visible;
  return [
    `<file status="${isOpen ? "open" : "closed"}" name="${attribute(name)}">`,
    "<metadata>",
    "- read_only=true",
    `- chars_current=${[...text].length}`,
    `- chars_limit=${viewChars}`,
    "</metadata>",
    ...(isOpen ? ["<value>", quote(text), "</value>"] : []),
    "</file>",
  ];
}

/** A name inside quotes, on one line. */
function attribute(name: string): string {
  return name
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
