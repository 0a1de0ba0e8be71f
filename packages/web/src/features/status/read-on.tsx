import { Section } from "../../ui/section.tsx";

const readmeTopics = [
  "Start",
  "Official clients",
  "Embedding as a library",
  "Configuration",
  "Model providers",
  "Databases",
  "What works today",
];

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
        <li>
          <strong>README</strong>
          <span>{readmeTopics.join(", ")}.</span>
        </li>
      </ul>
    </Section>
  );
}
