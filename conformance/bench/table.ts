/** One table for everything a bench measured. */
export type Figure = {
  name: string;
  value: number;
  unit: "s" | "ms" | "us" | "MB" | "/s";
  /** On a quiet machine with two cores. */
  target?: number;
  /** The figure of the old server, in `unit`. */
  old?: string;
  /** More of the same measurement, shown as it is. */
  notes?: readonly string[];
  /** For a throughput: its share of the yardstick's. */
  ofEcho?: number;
};

const headings = ["", "measured", "target", "old server", "of echo", ""];

export function formatTable(figures: readonly Figure[]): string {
  const rows = [headings, ...figures.map(toRow)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => align(cell, column, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toRow({ name, value, unit, target, old, notes = [], ofEcho }: Figure): string[] {
  return [
    name,
    show(value, unit),
    target === undefined ? "" : `${isMet(value, unit, target) ? "" : "! "}${show(target, unit)}`,
    old ?? "",
    ofEcho === undefined ? "" : `${(ofEcho * 100).toFixed(1)} %`,
    notes.join(", "),
  ];
}

/** Of a rate, more is better; of everything else, less. */
function isMet(value: number, unit: Figure["unit"], target: number): boolean {
  return unit === "/s" ? value >= target : value <= target;
}

function show(value: number, unit: Figure["unit"]): string {
  const digits = unit === "s" ? 2 : unit === "ms" ? 1 : 0;
  const number = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === "/s" ? `${number}/s` : `${number} ${unit}`;
}

function align(cell: string, column: number, width: number): string {
  return column === 0 || column === headings.length - 1 ? cell.padEnd(width) : cell.padStart(width);
}
