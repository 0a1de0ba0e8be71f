/** Times as they stand in prompts: in the agent's own zone. */

/** For example `2026-03-01 09:05:00 AM UTC+0000`. */
export function formatPromptTime(micros: number, timezone: string): string {
  const date = new Date(Math.floor(micros / 1000));
  const parts = new Map(
    new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h12",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "longOffset",
    })
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const offset = part("timeZoneName").replace("GMT", "").replace(":", "") || "+0000";
  const day = `${part("year")}-${part("month")}-${part("day")}`;
  const time = `${part("hour")}:${part("minute")}:${part("second")} ${part("dayPeriod")}`;
  return `${day} ${time} ${zoneAbbreviation(date, timezone)}${offset}`;
}

/** No single locale knows all the short names: American ones stand in one, European ones in another. */
function zoneAbbreviation(date: Date, timezone: string): string {
  for (const locale of ["en-US", "en-GB", "en-AU", "en-IN"]) {
    const name = new Intl.DateTimeFormat(locale, { timeZone: timezone, timeZoneName: "short" })
      .formatToParts(date)
      .find(({ type }) => type === "timeZoneName")?.value;
    if (name && !/[+-]/.test(name)) return name;
  }
  return "UTC";
}

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
