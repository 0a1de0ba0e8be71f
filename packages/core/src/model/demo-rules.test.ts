import { expect, test } from "vitest";
import { toLine } from "./demo-memory.ts";
import { understand } from "./demo-rules.ts";

test.for([
  ["My name is Ada.", "Name: Ada"],
  ["Hello, I'm Grace Hopper!", "Name: Grace Hopper"],
  ["Hi there! This is Zoë.", "Name: Zoë"],
  ["call me Bob", "Name: Bob"],
  ["I live in Ghent, Belgium.", "Lives in: Ghent, Belgium"],
  ["I work as a nurse", "Work: a nurse"],
  ["I work at the harbour.", "Works at: the harbour"],
  ["I’m a teacher and I love jazz.", "Is: a teacher|Likes: jazz"],
  ["I don't like mondays", "Dislikes: mondays"],
  ["my favourite colour is blue", "Favourite colour: blue"],
  ["My dog's name is Rex; my cat is called Mo", "Dog: Rex|Cat: Mo"],
  ["Remember that my job is painting", "Work: painting"],
  ["Please remember: the gate code is 42", "Note: the gate code is 42"],
] as const)("%s", ([text, lines]) => {
  const intent = understand(text);
  expect(intent.type === "note" && intent.facts.map(toLine).join("|")).toBe(lines);
});

test.for([
  ["What's my name?", { type: "recall", name: "Name" }],
  ["Do you remember my dog's name?", { type: "recall", name: "Dog" }],
  ["where do I live?", { type: "recall", name: "Lives in" }],
  ["What do you know about me?", { type: "recall", name: null }],
  ["Who am I?", { type: "recall", name: null }],
  ["What did I say about green tea?", { type: "search-talk", query: "green tea" }],
  ["Have I ever mentioned Paris?", { type: "search-talk", query: "Paris" }],
  ["search for the invoice", { type: "search-talk", query: "the invoice" }],
  ["Look up the invoice", { type: "search-archive", query: "the invoice" }],
  ["Archive: the invoice is paid.", { type: "archive", text: "the invoice is paid" }],
  ["Forget that I like tea", { type: "forget", words: ["like", "tea"] }],
  ["I am German", { type: "other" }],
  ["I'm tired", { type: "other" }],
  ["is my name Ada?", { type: "other" }],
  ["Remember me?", { type: "other" }],
  ["good morning", { type: "greet" }],
  ["Thanks!", { type: "thank" }],
  ["", { type: "other" }],
] as const)("%s", ([text, intent]) => {
  expect(understand(text)).toMatchObject(intent);
});
