// The /docs page: reads the document itself, because Scalar would not send the password along, and hands it to Scalar's
// bundle, which scripts/build-reference.ts put beside the page.

import { openPasswordStore } from "../../api/password.ts";
import { configureReference, type OpenApiDocument } from "./configuration.ts";
import "./reference.css";

declare global {
  interface Window {
    Scalar?: { createApiReference(element: Element, configuration: object): unknown };
  }
}

/** Something the reader can act on; its message is shown. */
class ReferenceProblem extends Error {}

async function fetchDocument(password: string | undefined): Promise<OpenApiDocument> {
  const headers = password === undefined ? undefined : { authorization: `Bearer ${password}` };
  const response = await fetch("/openapi.json", { headers }).catch(() => {
    throw new ReferenceProblem("The server does not answer. Reload the page when it is back.");
  });
  if (response.status === 401) {
    throw new ReferenceProblem("This server asks for a password. Give it on the front page, then come back.");
  }
  if (!response.ok) throw new ReferenceProblem(`/openapi.json answered ${response.status}.`);
  return await response.json();
}

async function start(element: Element): Promise<void> {
  const password = openPasswordStore().read();
  const document = await fetchDocument(password);
  if (!window.Scalar) throw new ReferenceProblem("/reference/scalar.js is missing: build the web package again.");
  element.replaceChildren();
  window.Scalar.createApiReference(element, configureReference({ document, origin: window.location.origin, password }));
  window.document.body.dataset.reference = "shown";
}

function showProblem(element: Element, error: unknown): void {
  const isForReader = error instanceof ReferenceProblem;
  const message = window.document.createElement("p");
  message.className = "message";
  message.role = "alert";
  message.textContent = isForReader ? error.message : "The reference could not be shown; the console says why.";
  element.replaceChildren(message);
  if (!isForReader) throw error;
}

const element = window.document.getElementById("reference");
if (!element) throw new Error("reference/index.html has no #reference");
start(element).catch((error: unknown) => showProblem(element, error));
