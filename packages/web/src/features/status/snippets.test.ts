import { expect, test } from "vitest";
import { chooseModel, writeSnippets } from "./snippets.ts";

const context = { baseUrl: "http://127.0.0.1:8283", model: "memoir/demo", hasPassword: false };

test.for(writeSnippets(context))("$title speaks to this server with the chosen model", ({ code }) => {
  expect(code).toContain("http://127.0.0.1:8283");
  expect(code).toContain(`"memoir/demo"`);
  expect(code).not.toContain("MEMOIR_PASSWORD");
});

test.for(writeSnippets({ ...context, hasPassword: true }))("$title reads the password from outside", ({ code }) => {
  expect(code).toContain("MEMOIR_PASSWORD");
});

test.for(writeSnippets(context))("$title sends a message and shows the answer", ({ code }) => {
  expect(code).toMatch(/\/messages|messages\.create/);
  expect(code).toContain("Hello, my name is Samira.");
  expect(code).toContain("assistant_message");
});

test("the model is one that the server can use", () => {
  const missing = { name: "openai", title: "OpenAI", found: false, detail: "Set OPENAI_API_KEY." };
  const unknown = { name: "ollama", title: "Ollama", found: true, detail: "http://127.0.0.1:11434" };
  const found = { name: "anthropic", title: "Anthropic", found: true, detail: "ANTHROPIC_API_KEY" };
  expect(chooseModel([missing, unknown, found])).toBe("anthropic/claude-haiku-4-5");
  expect(chooseModel([missing, unknown])).toBe("memoir/demo");
  expect(chooseModel([])).toBe("memoir/demo");
});
