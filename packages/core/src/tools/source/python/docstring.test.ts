/** The four usual ways to write a docstring say the same. */
import { expect, test } from "vitest";
import { readDocstring } from "./docstring.ts";

const styles: readonly [style: string, docstring: string][] = [
  [
    "Google",
    `Finds an order.

    Also closed ones: those of years ago too.

    Args:
        number (str): The number on the receipt,
            with its dashes.
        limit (Optional[Callable[(int), str]], optional): How many.

            At most ten.
        **more: What else.

    Returns:
        dict: What is known.

    Raises:
        ValueError: when there is none.
    `,
  ],
  [
    "numpydoc",
    `Finds an order.

    Also closed ones: those of years ago too.

    Parameters
    ----------
    number : str
        The number on the receipt,
        with its dashes.
    limit : {1, 2}, optional
        How many.

        At most ten.

    Other Parameters
    ----------------
    **more
        What else.

    Returns
    -------
    dict
        What is known.
    `,
  ],
  [
    "reST",
    `Finds an order.

    Also closed ones: those of years ago too.

    :param str number: The number on the receipt,
        with its dashes.
    :type number: str
    :param limit: How many.

        At most ten.
    :keyword more: What else.
    :returns: What is known.
    :rtype: dict
    :raises ValueError: when there is none.
    `,
  ],
  [
    "Epydoc",
    `
    Finds an order.

    Also closed ones: those of years ago too.

    @param number: The number on the receipt,
    with its dashes.
    @type number: str
    @param limit: How many.

    At most ten.
    @keyword more: What else.
    @return: What is known.
    @raise ValueError: when there is none.
    `,
  ],
];

test.for(styles)("%s", ([, docstring]) => {
  const { description, parameters } = readDocstring(docstring);
  expect(description).toBe("Finds an order.\n\nAlso closed ones: those of years ago too.");
  expect(Object.fromEntries(parameters)).toEqual({
    number: "The number on the receipt,\nwith its dashes.",
    limit: "How many.\n\nAt most ten.",
    more: "What else.",
  });
});

test("names that share a text", () => {
  const { parameters } = readDocstring(
    "Adds.\n\n    Parameters\n    ----------\n    x, y : int\n        A number.\n    ",
  );
  expect(Object.fromEntries(parameters)).toEqual({ x: "A number.", y: "A number." });
});

test("examples come along as they are written, the sections after them do not", () => {
  const google = "Adds.\n\n    Examples:\n        >>> add(1)\n\n        2\n\n    Args:\n        x: a number\n    ";
  expect(readDocstring(google).description).toBe("Adds.\n\nExamples:\n        >>> add(1)\n\n        2");
  const numpy = "Adds.\n\n    Examples\n    --------\n    >>> add(1)\n    2\n\n    Notes\n    -----\n    None.\n    ";
  expect(readDocstring(numpy).description).toBe("Adds.\n\nExamples\n    --------\n    >>> add(1)\n    2");
});

test("a docstring of one line, of blanks, and of tabs", () => {
  expect(readDocstring("Adds.")).toEqual({ description: "Adds.", parameters: new Map() });
  expect(readDocstring("  \n  \n").description).toBe("");
  expect(readDocstring("Adds.\n\n\tArgs:\n\t\tx: a number\n\t").parameters.get("x")).toBe("a number");
});
