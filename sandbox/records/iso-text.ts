// Writes times as ISO text, several times as fast as Date: a generated page has hundreds of them.

const DAY_MS = 86_400_000;
const TWO = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));
const THREE = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, "0"));

const latest = { ms: Number.NaN, text: "", day: Number.NaN, date: "" };

/** Returns a text like `2026-01-02T03:04:05.006Z`. */
export function toIsoText(ms: number): string {
  if (ms === latest.ms) return latest.text;
  const day = Math.floor(ms / DAY_MS);
  if (day !== latest.day) {
    latest.date = new Date(ms).toISOString().slice(0, -13);
    latest.day = day;
  }
  const rest = ms - day * DAY_MS;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const time = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`;
  latest.text = `${latest.date}${time}.${THREE[Math.floor(rest) % 1000]}Z`;
  latest.ms = ms;
  return latest.text;
}
