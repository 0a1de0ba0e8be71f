/** Reads multipart forms, which is how clients send files. */
import { cleanText } from "./body.ts";
import { ValidationError } from "./validation-error.ts";

export interface Upload {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The fields of a form by name, the last of several. Told from a JSON body by its class. */
export class Form {
  readonly fields: Readonly<Record<string, string | Upload>>;

  constructor(fields: Readonly<Record<string, string | Upload>>) {
    this.fields = fields;
  }
}

export async function parseForm(body: Uint8Array, contentType: string): Promise<Form> {
  const fields = new Map<string, string | Upload>();
  try {
    const headers = { "content-type": contentType };
    const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData();
    for (const [name, value] of form) fields.set(cleanText(name), await readField(value));
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    const msg = `Input should be a multipart form with a boundary around each field${reason}`;
    throw new ValidationError([{ type: "form_invalid", loc: ["body"], msg, input: null }]);
  }
  fields.delete("__proto__");
  return new Form(Object.fromEntries(fields));
}

async function readField(value: string | File): Promise<string | Upload> {
  if (typeof value === "string") return cleanText(value);
  return { name: cleanText(value.name), mediaType: value.type, bytes: await value.bytes() };
}

/** What a route is handed of a body: the fields of a form where it takes one, else JSON. */
export function takeBody(body: unknown, { isForm = false }: { readonly isForm?: boolean }): unknown {
  const isFormBody = body instanceof Form;
  if (isForm === isFormBody) return isFormBody ? body.fields : body;
  const msg = isForm
    ? "Input should be a form, sent with the header Content-Type: multipart/form-data"
    : "Input should be JSON, sent with the header Content-Type: application/json";
  throw new ValidationError([{ type: "content_type", loc: ["body"], msg, input: null }]);
}
