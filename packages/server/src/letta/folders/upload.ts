/** Uploads are checked as they will be once files can be read; until then nothing is kept of them. */
import { z } from "zod";
import type { Upload } from "../../form.ts";
import { ValidationError } from "../../validation-error.ts";

export interface UploadWire {
  file: Upload;
}

const isUpload = (value: unknown) => typeof value === "object" && value !== null && "bytes" in value;

export const UploadWire: z.ZodType<UploadWire> = z.object({
  file: z.custom<Upload>(isUpload, "Input should be a file").meta({ type: "string", format: "binary" }),
});

const extensions = new Set(
  (
    "pdf txt md markdown json jsonl csv py js ts java cpp cxx c h cs php rb go rs swift kt scala r m html htm css scss " +
    "sass less vue jsx tsx xml yaml yml toml ini cfg conf sh bash ps1 bat cmd dockerfile sql docx xlsx pptx"
  ).split(" "),
);

const types = /^(text\/.+|application\/(pdf|json|x-jsonlines|jsonl|xml|javascript|sql|toml|x-yaml|yaml))$/;

const longestName = 255;

/** Throws what is wrong with the request; what is left is to read the file. */
export function checkUpload({ file }: UploadWire, givenName: string | undefined): void {
  const name = givenName ?? file.name.split(/[\\/]/).at(-1) ?? "";
  if (name.trim() === "" || name.length > longestName || name.startsWith(".")) {
    const msg = `the file name "${name.slice(0, 50)}" must have 1 to ${longestName} characters and not start with a dot`;
    throw new ValidationError([{ type: "value_error", loc: ["body", "file"], msg, input: null }]);
  }
  const extension = name.toLowerCase().split(".").at(-1) ?? "";
  const mediaType = file.mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (types.test(mediaType) || extensions.has(extension)) return;
  const problem = `files of the type ${mediaType || "unknown"} cannot be read: send text, source code, PDF or an office document`;
  throw Object.assign(new Error(problem), { statusCode: 415 });
}
