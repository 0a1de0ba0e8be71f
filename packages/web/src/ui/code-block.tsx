import { useEffect, useRef, useState } from "react";
import { copyText } from "./copy-text.ts";

type CopyState = "idle" | "copied" | "selected";

const messages: Record<CopyState, string> = { idle: "Copy", copied: "Copied", selected: "Selected, press Ctrl+C" };

/** Code with a button that copies it. `label` names the code for screen readers. */
export function CodeBlock({ label, code }: { label: string; code: string }) {
  const [state, setState] = useState<CopyState>("idle");
  const element = useRef<HTMLElement>(null);

  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2500);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy() {
    if (element.current) setState((await copyText(code, element.current)) ? "copied" : "selected");
  }

  return (
    <div className="code">
      <pre>
        <code ref={element}>{code.trimEnd()}</code>
      </pre>
      <button type="button" className="copy" aria-label={`Copy ${label}`} onClick={copy}>
        {messages[state]}
      </button>
      <span className="unseen" role="status">
        {state === "idle" ? "" : messages[state]}
      </span>
    </div>
  );
}
