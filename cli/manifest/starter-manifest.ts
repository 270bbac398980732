/** Writes the text of a first manifest: what works at once in force, what comes next as comments. */
import { stringify } from "yaml";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";
import { suggestName } from "../../ground/closest.ts";
import { buildCatalog } from "./catalog.ts";

export interface StarterManifest {
  provider: ProviderInfo;
  /** Names at the provider; they are written to. */
  objects: string[];
  name: string;
}

export function findProvider(key: string): { provider?: ProviderInfo; remedy: string } {
  const catalog = buildCatalog();
  const provider = Object.hasOwn(catalog, key) ? catalog[key] : undefined;
  const remedy = suggestName(
    key,
    Object.keys(catalog),
    "`busbar list providers` has their keys; case matters.",
  );
  return { ...(provider && { provider }), remedy };
}

/** Passes the check for every provider of the catalog, if the name is one that an integration may have. */
export function writeStarterManifest({ provider, objects, name }: StarterManifest): string {
  const shown = provider.displayName ?? provider.name;
  const canWrite = provider.support.write && objects.length > 0;
  const canProxy = provider.support.proxy;
  return [
    "# What your application wants to do in its customers' accounts. The format: docs/guide/manifest.md of Busbar.",
    "specVersion: 1.0.0",
    "integrations:",
    `  - name: ${quote(name)} `.padEnd(33) + "# your name for it, unique in the project",
    `    provider: ${quote(provider.name)} `.padEnd(33) + "# a key of: busbar list providers",
    `    displayName: ${quote(shown)} `.padEnd(33) + "# what your customers see",
    "",
    ...(canWrite ? writeBlock(objects) : commentOut(writeBlock(["contacts"]))),
    "",
    ...(canProxy ? writeProxyBlock() : commentOut(writeProxyBlock())),
    ...(provider.support.read ? ["", ...commentOut(readBlock(objects[0] ?? "contacts"))] : []),
    "",
  ].join("\n");
}

const writeBlock = (objects: string[]): string[] => [
  "    # Records that you write: busbar write <integration> <object> --group <customer> --set name=value",
  "    write:",
  "      objects:",
  ...objects.map((object) => `        - objectName: ${quote(object)}`),
];

const writeProxyBlock = (): string[] => [
  "    # Any call of the provider's API with the customer's credentials: busbar proxy GET /path …",
  "    proxy:",
  "      enabled: true",
];

const readBlock = (object: string): string[] => [
  "    # Your own names for the provider's fields; `inheritMapping: true` below a write object uses them backwards.",
  "    read:",
  "      objects:",
  `        - objectName: ${quote(object)}`,
  "          mapToName: person          # your name of the object",
  "          destination: my-app        # busbar create destination my-app --webhook https://…",
  '          schedule: "*/30 * * * *"   # when to look for changes, UTC',
  "          backfill: { defaultPeriod: { days: 30 } }   # what changed in the 30 days before",
  "          requiredFields:",
  "            - fieldName: firstname   # the provider's name",
  "              mapToName: givenName   # your name",
  "            - mapToName: notes       # no fieldName: the customer chooses when installing",
  "              mapToDisplayName: Notes",
];

/** Out of force, but a block that is whole once the signs are removed. */
const commentOut = (block: string[]): string[] => block.map((line) => line.replace(/^ {4}(?:# )?/, "    # "));

/** Returns the text as a YAML scalar, quoted where YAML requires it. */
const quote = (text: string): string => stringify(text, { lineWidth: 0 }).trim();
