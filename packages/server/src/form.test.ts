import { expect, test } from "vitest";
import { Form, parseForm, takeBody } from "./form.ts";

const type = "multipart/form-data; boundary=b";

const part = (disposition: string, text: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;

const read = async (body: string, contentType = type) => (await parseForm(Buffer.from(body), contentType)).fields;

test("fields come by name, files with their bytes", async () => {
  const form = `${part('name="a"', "1")}${part('name="file"; filename="ä b.af"', "{}")}${part('name="a"', "2")}--b--\r\n`;
  const { a, file } = await read(form);
  expect(a).toBe("2");
  expect(file).toMatchObject({ name: "ä b.af", mediaType: "text/plain", bytes: new Uint8Array([0x7b, 0x7d]) });
});

test("text that a database could choke on is cleaned, and no field reaches a prototype", async () => {
  const fields = await read(`${part('name="a"', "x\u0000y")}${part('name="__proto__"', "z")}--b--\r\n`);
  expect(fields).toEqual({ a: "xy" });
});

test.for([
  ["nothing at all", "", type],
  ["no boundary in the header", `${part('name="a"', "1")}--b--\r\n`, "multipart/form-data"],
  ["another boundary", `${part('name="a"', "1")}--b--\r\n`, "multipart/form-data; boundary=c"],
  ["a form that is cut short", part('name="a"', "1").slice(0, -8), type],
  ["a part without a name", `${part("nothing", "1")}--b--\r\n`, type],
])("refuses %s", async ([, body, contentType]) => {
  await expect(read(body ?? "", contentType)).rejects.toMatchObject({ records: [{ type: "form_invalid" }] });
});

test("a route takes forms or JSON, not both", () => {
  const form = new Form({ a: "1" });
  expect(takeBody(form, { isForm: true })).toEqual({ a: "1" });
  expect(takeBody({ a: 1 }, {})).toEqual({ a: 1 });
  expect(takeBody(undefined, {})).toBeUndefined();
  expect(() => takeBody(form, {})).toThrow("schema");
  expect(() => takeBody({ a: 1 }, { isForm: true })).toThrow("schema");
  expect(() => takeBody(undefined, { isForm: true })).toThrow("schema");
});
