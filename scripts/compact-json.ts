/** Writes JSON for people and for diffs: what fits on a line stands on one line. */

const WIDTH = 120;

/** Returns the text, indented by one space per level. */
export function formatCompactly(value: unknown, indent = 0, before = 0): string {
  const line = JSON.stringify(value, undefined, 1)?.replaceAll(/\n */g, " ") ?? "null";
  if (indent + before + line.length <= WIDTH || typeof value !== "object" || value === null) return line;
  const margin = " ".repeat(indent + 1);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const members = Array.isArray(value)
    ? value.map((one) => formatCompactly(one, indent + 1))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => {
          const key = `${JSON.stringify(name)}: `;
          return key + formatCompactly(member, indent + 1, key.length);
        });
  return `${open}\n${members.map((member) => margin + member).join(",\n")}\n${" ".repeat(indent)}${close}`;
}
