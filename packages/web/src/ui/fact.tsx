import type { ReactNode } from "react";

/** One figure of a <dl>: what it is, its value, and a smaller line below. */
export function Fact({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd className="fact-value">{value}</dd>
      {note && <dd className="fact-note">{note}</dd>}
    </div>
  );
}
