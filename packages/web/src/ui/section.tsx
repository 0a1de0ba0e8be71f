import { type ReactNode, useId } from "react";

export function Section({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  const titleId = useId();
  return (
    <section className="section" aria-labelledby={titleId}>
      <div className="section-head">
        <h2 id={titleId}>{title}</h2>
        {lead && <p>{lead}</p>}
      </div>
      <div className="section-body">{children}</div>
    </section>
  );
}
