import type { ProviderStatus } from "../../api/status.ts";
import { Section } from "../../ui/section.tsx";
import { describeProviders } from "./format.ts";

export function Providers({ providers }: { providers: ProviderStatus[] }) {
  const found = providers.filter((provider) => provider.found);
  const missing = providers.filter((provider) => !provider.found);
  return (
    <Section title="Model providers" lead={describeProviders(found.length)}>
      {found.length > 0 && <ProviderList providers={found} />}
      {missing.length > 0 && (
        <details className="more" open={found.length === 0}>
          <summary>{found.length > 0 ? "Add another" : "Ways to add one"}</summary>
          <ProviderList providers={missing} />
        </details>
      )}
    </Section>
  );
}

function ProviderList({ providers }: { providers: ProviderStatus[] }) {
  return (
    <ul className="providers">
      {providers.map(({ name, title, found, detail }) => (
        <li key={name}>
          <span className={found ? "provider-name is-found" : "provider-name"}>
            {title}
            <span className="unseen">{found ? ", found" : ", not found"}</span>
          </span>
          <span className="provider-detail">{detail}</span>
        </li>
      ))}
    </ul>
  );
}
