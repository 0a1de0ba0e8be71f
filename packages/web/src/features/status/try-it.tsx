import type { ProviderStatus } from "../../api/status.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { chooseModel, writeSnippets } from "./snippets.ts";

export function TryIt({ providers, hasPassword }: { providers: ProviderStatus[]; hasPassword: boolean }) {
  const snippets = writeSnippets({
    baseUrl: window.location.origin,
    model: chooseModel(providers),
    hasPassword,
  });
  const tabs = snippets.map(({ id, title, install, code }) => ({
    id,
    title,
    content: (
      <>
        {install && <CodeBlock key={`${id}-install`} label="the install command" code={install} />}
        <CodeBlock key={id} label={`the ${title} example`} code={code} />
      </>
    ),
  }));
  return (
    <Section title="Try it" lead="Make an agent, tell it who you are, read its answer and what it wrote down.">
      <Tabs label="Language" tabs={tabs} />
    </Section>
  );
}
