import { Section } from "../../ui/section.tsx";

export function ReadOn() {
  return (
    <Section title="Read on">
      <ul className="reading">
        <li>
          <a href="/docs">API reference</a>
          <span>Every operation, with a form to try it. Works offline.</span>
        </li>
        <li>
          <a href="/openapi.json">OpenAPI document</a>
          <span>The same for machines: generate a client, import it elsewhere.</span>
        </li>
      </ul>
    </Section>
  );
}
