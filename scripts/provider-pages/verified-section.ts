/** Words against what a provider's objects were verified, action by action. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import { UNVERIFIED, type ProviderEvidence } from "../../connector-kit/provider-evidence.ts";
import { readMutationScores } from "../mutate/mutation-scores.ts";
import { countEvidence, EVIDENCE_ACTIONS } from "../provider-evidence.ts";

export const writeVerifiedSection = (
  name: string,
  description: Description | undefined,
  evidence: ProviderEvidence,
  facts: Facts | undefined,
): string[] => [
  ...listNotReadLines(evidence),
  "",
  "## Verified",
  "",
  ...(countEvidence([evidence]).actions === 0 ? [] : writeEvidenceTable(evidence)),
  ...listSourceLines(evidence),
  ...(evidence.faults ?? []).map((fault) => `* Known to be wrong: ${fault}.`),
  ...listMutationLines(name),
  ...listEmptyFieldLines(facts),
  ...listUntoldLines(facts),
  ...(description
    ? [
        "",
        `The provider's documentation: <${description.sources.documentation}>. The description was read against: ${description.sources.checked}.`,
        "",
        `With an account, \`npm run probe -- ${name}\` [compares the provider's answers with the`,
        "description](../guide/checking-providers.md).",
      ]
    : []),
];

function listNotReadLines({ notRead = {} }: ProviderEvidence): string[] {
  const objects = Object.entries(notRead);
  if (objects.length === 0) return [];
  return [
    "",
    "## Not read",
    "",
    "The provider leaves this out of its lists, and nothing asks for it. Each read of the object says so in its log:",
    "",
    ...objects.map(([object, records]) => `* \`${object}\`: ${records.join("; ")}`),
  ];
}

/** Returns how many changes of the connector its tests notice, as `npm run mutate` counted them. */
function listMutationLines(name: string): string[] {
  const counted = readMutationScores()[name];
  if (!counted) return [];
  const { killed, survived, date } = counted;
  return [
    "",
    `Of ${killed + survived} changes of one member or constant of the connector, its tests noticed ${killed} (\`npm run mutate -- ${name}\`, ${date}).` +
      (survived === 0 ? "" : " The reason for each of the others is in `connectors/surviving-mutants.json`."),
  ];
}

/** Returns what no source says, one line for all objects of which it is true. */
function listUntoldLines(facts: Facts | undefined): string[] {
  const objects = new Map<string, string[]>();
  for (const [name, { unverified = [] }] of Object.entries(facts?.objects ?? {}))
    for (const sentence of unverified)
      objects.set(sentence, [...(objects.get(sentence) ?? []), `\`${name}\``]);
  if (objects.size === 0) return [];
  return [
    "",
    "What no source was found for:",
    "",
    ...[...objects].map(([sentence, names]) => `* ${names.join(", ")}: ${sentence}`),
  ];
}

function writeEvidenceTable({ objects }: ProviderEvidence): string[] {
  const titles = EVIDENCE_ACTIONS.map((action) => action.charAt(0).toUpperCase() + action.slice(1));
  return [
    "What the connector sends, and how it reads the answers, is tested against these sources:",
    "",
    `| Object | ${titles.join(" | ")} |`,
    `|---|${titles.map(() => "---|").join("")}`,
    ...Object.entries(objects).map(([object, actions]) => {
      const cells = EVIDENCE_ACTIONS.map((action) => actions[action] ?? "");
      return `| \`${object}\` | ${cells.map((cell) => (cell === UNVERIFIED || cell === "" ? cell : `\`${cell}\``)).join(" | ")} |`;
    }),
    "",
  ];
}

function listSourceLines({ sources }: ProviderEvidence): string[] {
  const shown = Object.entries(sources);
  if (shown.length === 0) return ["No source was found, or none was compared yet: everything is unverified."];
  return shown.map(([key, { kind, name, version, date }]) => {
    const by = kind === "third-party" ? "somebody else's copy or recording" : "the vendor's own";
    return `* \`${key}\`: ${by}, ${name}${version === undefined ? "" : `, ${version}`}, ${date}`;
  });
}

const SHOWN = {
  absent: "have no member for it",
  null: "have `null` for it",
  empty: "have an empty text for it",
  mixed: "have no member for some fields, and `null` for others",
} as const;

function listEmptyFieldLines(facts: Facts | undefined): string[] {
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
