/** Words how a provider's records show fields without a value, and who says so. */
import type { Facts } from "../../connector-kit/facts/facts.ts";

const SHOWN = {
  absent: "have no member for it",
  null: "have `null` for it",
  empty: "have an empty text for it",
  mixed: "have no member for some fields, and `null` for others",
} as const;

export function emptyFieldLines(facts: Facts | undefined): string[] {
  const told = facts?.emptyFields ?? [];
  if (!facts || told.length === 0) return ["", "How records show a field without a value is unverified."];
  return [
    "",
    "A field without a value:",
    "",
    ...told.map(({ source, shown, objects, what }) => {
      const names = objects ? objects.map((name) => `\`${name}\``).join(", ") : "records";
      const only = what === undefined ? "" : ` (${what})`;
      return `* ${names} ${SHOWN[shown]}${only}: ${describeSource(facts, source)}`;
    }),
    ...(told.some(({ objects }) => !objects) ? [] : ["* of other objects it is unverified"]),
  ];
}

function describeSource({ sources }: Facts, source: string): string {
  const { kind, repository, url, file, date } = sources[source.split("#")[0] ?? source] ?? {};
  const by = kind === "third-party" ? "somebody else's copy or recording" : "the vendor's own";
  return [by, url ? `<${url}>` : repository, file, date].filter((part) => part !== undefined).join(", ");
}
