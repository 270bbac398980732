/** Checks a provider that a builder adds to a project: how to connect, and a description of its objects. */
import type { CustomProvider } from "./catalog.ts";
import { listAddresses, checkProvider, type ProviderFault } from "./provider/check-provider.ts";
import { batchWrite, OAUTH2_DEFAULTS, supports, type Ability } from "./provider/define-provider.ts";
import { listConnectionValues } from "./provider/connection-values.ts";
import { checkDescription } from "./declarative/check/check-description.ts";
import type { Description } from "./declarative/rules/description.ts";
import { buildPlans, findCheapestObject, findLargestBatch } from "./declarative/object-plan.ts";
import { findPatternFault } from "./provider/pattern-fault.ts";
import type { ProviderInfo } from "./provider-info.ts";
import type { Support } from "./provider-support.ts";
import { isJsonObject, type JsonObject } from "../ground/json.ts";
import { findHeaderFaults } from "./provider/header-faults.ts";

type CustomProviderCheck = { own: CustomProvider; faults: [] } | { own: undefined; faults: ProviderFault[] };

/** Returns whether the key is that of a custom provider. Built-in providers never get such a key, in later versions either. */
export const isOwnKey = (key: string): boolean => /^x-[a-z0-9][a-z0-9-]{0,60}$/.test(key);

const LARGEST_BYTES = 64 * 1024;
/** Each object is checked together with the defaults. */
const MAX_OBJECTS = 200;

/** Returns the provider, or every fault in the document with its place. Pure. */
export function checkCustomProvider(key: string, document: unknown): CustomProviderCheck {
  const faults = findDocumentFaults(key, document);
  if (faults.length > 0 || !isJsonObject(document)) return { own: undefined, faults };
  const { connector, ...facts } = document;
  const described = connector === undefined ? undefined : checkDescription(connector);
  const description = described?.description;
  const checked = checkProvider(completeProvider(key, facts, description), "provider");
  const all = [...checked.faults, ...(described?.faults ?? [])];
  if (!checked.info || all.length > 0) return { own: undefined, faults: placeInDocument(all) };
  const { info } = checked;
  const unsafe = [
    ...findAddressFaults(info),
    ...findHeaderFaults(info, description),
    ...findCaptureFaults(info),
    ...findValueFaults(info, description),
  ];
  if (unsafe.length > 0) return { own: undefined, faults: unsafe };
  return { own: { info, ...(description && { description }), origins: listOrigins(info) }, faults: [] };
}

/** Returns what is worth saying of a provider without faults. */
export function warnOfProvider({ info, description }: CustomProvider): ProviderFault[] {
  const isTried = info.authHealthCheck ?? (description && findCheapestObject(description));
  return isTried ? [] : [UNTRIED];
}

const UNTRIED: ProviderFault = {
  path: "authHealthCheck",
  message:
    "nothing can try the credentials of customers: a wrong key is found out only by the first call. Name an address here that answers " +
    "whether credentials are good, or describe an object that is read",
};

/** Faults of the provider's part have their place in the document. */
const placeInDocument = (faults: ProviderFault[]): ProviderFault[] =>
  faults.map(({ path, message }) => ({ path: path.replace(/^provider\./, ""), message }));

function findDocumentFaults(key: string, document: unknown): ProviderFault[] {
  if (!isOwnKey(key)) {
    const message =
      "must begin with x- and have at most 62 lower-case letters, digits and dashes, such as x-quill";
    return [{ path: "key", message }];
  }
  if (!isJsonObject(document)) return [{ path: "", message: "the document must be an object" }];
  if (new TextEncoder().encode(JSON.stringify(document)).length > LARGEST_BYTES)
    return [{ path: "", message: `the document is larger than ${LARGEST_BYTES / 1024} KiB` }];
  const objects = isJsonObject(document.connector) ? document.connector.objects : undefined;
  const count = isJsonObject(objects) ? Object.keys(objects).length : 0;
  if (count > MAX_OBJECTS)
    return [{ path: "connector.objects", message: `has ${count} objects; ${MAX_OBJECTS} are the most` }];
  return ["support", "features", "name", "documentationOnly"].flatMap((member) =>
    Object.hasOwn(document, member)
      ? [{ path: member, message: "must be left out: it follows from the rest" }]
      : [],
  );
}

function completeProvider(key: string, facts: JsonObject, description: Description | undefined): unknown {
  return {
    displayName: key,
    defaultModule: "",
    ...facts,
    ...(isJsonObject(facts.oauth2Opts) && { oauth2Opts: { ...OAUTH2_DEFAULTS, ...facts.oauth2Opts } }),
    name: key,
    providerOpts: {},
    support: supports(...listAbilities(description)),
  };
}

function listAbilities(description: Description | undefined): (Ability | Partial<Support>)[] {
  if (!description) return ["proxy"];
  const modes = new Set(buildPlans(description).flatMap((plan) => plan.modes));
  const batchLimit = findLargestBatch(description);
  const isWritten = modes.has("create") || modes.has("update") || modes.has("upsert");
  return [
    "proxy",
    ...(modes.has("read") ? (["read", "search"] as const) : []),
    ...(isWritten ? (["write"] as const) : []),
    ...(modes.has("delete") ? (["delete"] as const) : []),
    ...(isWritten && batchLimit > 0 ? [batchWrite(batchLimit)] : []),
  ];
}

/** A customer's value may be the beginning of a host, never its end. */
const ADDRESS = /^https?:\/\/((?:\{\{\.\w+\}\}\.)?[A-Za-z0-9.-]+(?::\d+)?)(?=[/?]|$)/;

const findAddressFaults = (info: ProviderInfo): ProviderFault[] =>
  listAddresses(info).flatMap(([path, address]) =>
    ADDRESS.test(address)
      ? []
      : [{ path, message: "must have a host of its own; only its first label may be {{.name}}" }],
  );

/** Requests cannot be made with values that no connection has. */
function findValueFaults(info: ProviderInfo, description: Description | undefined): ProviderFault[] {
  const known = listConnectionValues(info);
  const named = JSON.stringify(description ?? {}).matchAll(/\{connection\.(\w+)\}/g);
  const unknown = new Set(Array.from(named, ([, name = ""]) => name).filter((name) => !known.has(name)));
  return [...unknown].map((name) => ({
    path: "connector",
    message: `needs the value ${name} of the connection, which neither metadata.input nor the sign-in gives`,
  }));
}

function findCaptureFaults({ oauth2Opts, accountInfo }: ProviderInfo): ProviderFault[] {
  const lists = [
    ["oauth2Opts.tokenMetadataFields.otherFields", oauth2Opts?.tokenMetadataFields.otherFields ?? []],
    ["accountInfo.fields", accountInfo?.fields ?? []],
  ] as const;
  return lists.flatMap(([list, fields]) =>
    fields.flatMap(({ capture }, index) => {
      const message = capture === undefined ? undefined : findPatternFault(capture);
      return message === undefined ? [] : [{ path: `${list}[${index}].capture`, message }];
    }),
  );
}

export function listOrigins(info: ProviderInfo): string {
  const origins = listAddresses(info).map(([, address]) => ADDRESS.exec(address)?.[0] ?? address);
  return [...new Set([...origins, ...(info.hostSuffixes ?? [])])].toSorted().join(" ");
}

/** Returns hosts without placeholders, with the member that names each, for checks against the network's rules. */
export const listLiteralHosts = (info: ProviderInfo): { path: string; host: string; isPlain: boolean }[] =>
  listAddresses(info).flatMap(([path, address]) => {
    const host = ADDRESS.exec(address)?.[1]
      ?.replace(/^\{\{\.\w+\}\}\./, "")
      .replace(/:\d+$/, "");
    return host === undefined ? [] : [{ path, host, isPlain: address.startsWith("http://") }];
  });
