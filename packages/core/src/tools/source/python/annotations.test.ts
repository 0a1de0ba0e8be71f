/** Every annotation that the tools of others were seen to use, and what models are told of it. */
import { expect, test } from "vitest";
import type { JsonObject } from "../../../shared/json.ts";
import { loadSourceReader } from "../describe-source.ts";

const { describe: describeSource } = await loadSourceReader();

const prelude = `
import typing
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Dict, List, Literal, Optional, Tuple, Union
from pydantic import BaseModel, Field

class Order(BaseModel):
    line: "Line" = Field(..., description="The line.")
    color: Color = Field(description="The color.")
    note: Optional[str] = Field(None, description="A note.")

class Line(BaseModel):
    amount: int = Field(default=1, description="How many.")

class Bare(BaseModel):
    city: str
    zip: int = 0

class Color(Enum):
    RED = "red"
    BLUE = "blue"
`;

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const flag = { type: "boolean" };
const colors = { type: "string", enum: ["red", "blue"] };
const line = {
  type: "object",
  properties: { amount: { type: "integer", description: "How many." } },
  required: [],
  description: "The line.",
};
const order = {
  type: "object",
  properties: {
    line,
    color: { ...colors, description: "The color." },
    note: { type: "string", description: "A note." },
  },
  required: ["line", "color"],
};
const bare = { type: "object", properties: { city: text, zip: integer }, required: ["city"] };
const pair = { type: "array", prefixItems: [integer, text], minItems: 2, maxItems: 2 };
const needed = true;
const optional = false;

const table: readonly [annotation: string, schema: JsonObject, isRequired: boolean][] = [
  ["str", text, needed],
  ["int", integer, needed],
  ["float", number, needed],
  ["bool", flag, needed],
  ["list", { type: "array", items: text }, needed],
  ["List", { type: "array", items: text }, needed],
  ["list[int]", { type: "array", items: integer }, needed],
  ["List[str]", { type: "array", items: text }, needed],
  ["List[List[float]]", { type: "array", items: { type: "array", items: number } }, needed],
  ["typing.List[str]", { type: "array", items: text }, needed],
  ["dict", { type: "object" }, needed],
  ["Dict", { type: "object" }, needed],
  ["dict[str, int]", { type: "object", additionalProperties: integer }, needed],
  ["Dict[str, Any]", { type: "object", additionalProperties: {} }, needed],
  ["List[Dict[str, bool]]", { type: "array", items: { type: "object", additionalProperties: flag } }, needed],
  ["Optional[str]", text, optional],
  ["Optional[List[int]]", { type: "array", items: integer }, optional],
  ["str | None", text, optional],
  ["Union[int, str]", { anyOf: [integer, text] }, needed],
  ["int | str", { anyOf: [integer, text] }, needed],
  ["Union[int, str, None]", { anyOf: [integer, text] }, optional],
  ['Literal["a", "b"]', { type: "string", enum: ["a", "b"] }, needed],
  ["Literal[1, 2]", { type: "integer", enum: [1, 2] }, needed],
  ['Literal["a", 1, None]', { enum: ["a", 1, null] }, needed],
  ['Optional[Literal["a", "b"]]', { type: "string", enum: ["a", "b"] }, optional],
  ["Any", {}, needed],
  ["tuple[int, str]", pair, needed],
  ["Tuple[int, str]", pair, needed],
  ["Color", colors, needed],
  ["datetime", { type: "string", format: "date-time" }, needed],
  ["bytes", { type: "string", format: "binary" }, needed],
  ["set[str]", { type: "array", items: text, uniqueItems: true }, needed],
  ['"Order"', order, needed],
  ["Order", order, needed],
  ["List[Order]", { type: "array", items: order }, needed],
  ["Optional[Order]", order, optional],
  ["Bare", bare, needed],
];

const more: typeof table = [
  ["date", { type: "string", format: "date" }, needed],
  ["tuple[int, ...]", { type: "array", items: integer }, needed],
  ["List[Color]", { type: "array", items: colors }, needed],
  ["'List[Optional[Color]]'", { type: "array", items: colors }, needed],
  ["Literal[Color.RED, 'x']", { type: "string", enum: ["red", "x"] }, needed],
  ["Literal[-1, 2.5]", { enum: [-1, 2.5] }, needed],
  ["(int | (str | None))", { anyOf: [integer, text] }, optional],
  ['Annotated[int, "how many"]', integer, needed],
  ["typing.Optional[typing.Dict[str, 'Bare']]", { type: "object", additionalProperties: bare }, optional],
  ["UUID", { type: "string", format: "uuid" }, needed],
  ["Sequence[str]", { type: "array", items: text }, needed],
  ["None", { type: "null" }, optional],
];

test("there are 37 of them", () => {
  expect(new Set(table.map(([annotation]) => annotation)).size).toBe(37);
});

test.for([...table, ...more])("%s", ([annotation, schema, isRequired]) => {
  const source = `${prelude}\ndef tool(x: ${annotation}):\n    """Does.\n\n    Args:\n        x: the x\n    """\n`;
  expect(describeSource("python", source)).toEqual({
    name: "tool",
    description: "Does.",
    parameters: {
      type: "object",
      properties: { x: { ...schema, description: "the x" } },
      required: isRequired ? ["x"] : [],
    },
  });
});
