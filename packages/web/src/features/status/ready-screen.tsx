import type { ServerStatus } from "../../api/status.ts";
import { Fact } from "../../ui/fact.tsx";
import { Hero } from "../../ui/hero.tsx";
import { formatCount, formatTimestamp, nameDatabase } from "./format.ts";
import { Providers } from "./providers.tsx";
import { ReadOn } from "./read-on.tsx";
import { TryIt } from "./try-it.tsx";

export function ReadyScreen({ status, hasPassword }: { status: ServerStatus; hasPassword: boolean }) {
  return (
    <>
      <Hero tone="good" badge="Running" title="Memoir is up.">
        <p className="lead">
          Version {status.version}. It speaks the API of Letta {status.compatible_with}, so the official clients work as
          they are. This page shows the state of the server; agents are made and talked to over the API.
        </p>
        <p className="actions">
          <a className="button button-main" href="/docs">
            Open the API reference
          </a>
        </p>
      </Hero>
      <Facts status={status} />
      <Providers providers={status.providers} />
      <TryIt providers={status.providers} hasPassword={hasPassword} />
      <ReadOn />
    </>
  );
}

function Facts({ status: { counts, database, started_at } }: { status: ServerStatus }) {
  const since = formatTimestamp(started_at);
  return (
    <dl className="facts" aria-label="At a glance">
      <Fact label="Agents" value={formatCount(counts.agents)} />
      <Fact label="Memory blocks" value={formatCount(counts.blocks)} />
      <Fact
        label="Data"
        value={nameDatabase(database.kind)}
        note={database.location !== null && <code>{database.location}</code>}
      />
      <Fact label="Running since" value={<time dateTime={started_at}>{since.day}</time>} note={since.time} />
    </dl>
  );
}
