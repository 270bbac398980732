/** Finds what is wrong with a provider's facts, built in or from an overlay, and says where. */
import { Type, type TSchema } from "typebox";
import { isJsonObject } from "../server/ground/json.ts";
import { ProviderInfoSchema, type ProviderInfo } from "./provider-info.ts";

export interface Fault {
  /** Where, for example `providers.hubspot.oauth2Opts.tokenUrl`. */
  path: string;
  message: string;
}

export type ProviderCheck = { info: ProviderInfo; faults: [] } | { info: undefined; faults: Fault[] };

/** A provider that is complete and makes sense, or every fault in it. */
export function checkProvider(value: unknown, path: string): ProviderCheck {
  if (!hasShape(value, path))
    return { info: undefined, faults: shapeFaults(ProviderInfoSchema, value, path) };
  const faults = senseFaults(value, path);
  return faults.length > 0 ? { info: undefined, faults } : { info: value, faults: [] };
}

const hasShape = (value: unknown, path: string): value is ProviderInfo =>
  shapeFaults(ProviderInfoSchema, value, path).length === 0;

/** Members that only make sense together. */
function senseFaults(info: ProviderInfo, path: string): Fault[] {
  const faults: Fault[] = [];
  const fault = (member: string, message: string) => faults.push({ path: `${path}.${member}`, message });
  const { oauth2Opts, apiKeyOpts } = info;

  if (info.authType === "oauth2" && !oauth2Opts) fault("oauth2Opts", "missing, because authType is oauth2");
  if (info.authType === "apiKey" && !apiKeyOpts) fault("apiKeyOpts", "missing, because authType is apiKey");
  if (oauth2Opts && oauth2Opts.grantType.startsWith("authorizationCode") && !oauth2Opts.authURL) {
    fault("oauth2Opts.authURL", `missing, because grantType is ${oauth2Opts.grantType}`);
  }
  if (apiKeyOpts && !apiKeyOpts[apiKeyOpts.attachmentType]) {
    fault(
      `apiKeyOpts.${apiKeyOpts.attachmentType}`,
      `missing, because attachmentType is ${apiKeyOpts.attachmentType}`,
    );
  }
  const { multiStep, connectSteps = [] } = info.customOpts ?? {};
  if (multiStep && connectSteps.length === 0) {
    fault("customOpts.connectSteps", "missing, because multiStep is true");
  }
  for (const [index, { redirect, request }] of connectSteps.entries()) {
    if (!redirect === !request)
      fault(`customOpts.connectSteps[${index}]`, "must have one of redirect and request");
  }
  if (info.defaultModule !== "" && !info.modules?.[info.defaultModule]) {
    fault("defaultModule", `"${info.defaultModule}" is not one of the modules`);
  }
  for (const [member, address] of addresses(info)) {
    if (!/^(https?:\/\/|\{\{)/.test(address)) fault(member, "must begin with https:// or a placeholder");
  }
  return faults;
}

/** Every address in a provider's facts that a credential may be sent to, by member path. */
export function addresses(info: ProviderInfo): [member: string, address: string][] {
  const found: [string, string | undefined][] = [
    ["baseURL", info.baseURL],
    ["oauth2Opts.authURL", info.oauth2Opts?.authURL],
    ["oauth2Opts.tokenURL", info.oauth2Opts?.tokenURL],
    ["authHealthCheck.url", info.authHealthCheck?.url],
    ["accountInfo.url", info.accountInfo?.url],
    ...stepAddresses(info),
    ...Object.entries(info.modules ?? {}).map(([key, module]): [string, string] => [
      `modules.${key}.baseURL`,
      module.baseURL,
    ]),
  ];
  return found.flatMap(([member, address]): [string, string][] =>
    address === undefined ? [] : [[member, address]],
  );
}

function stepAddresses({ customOpts }: ProviderInfo): [string, string | undefined][] {
  const { connectSteps = [], refreshSteps = [] } = customOpts ?? {};
  return [
    ...connectSteps.map(({ redirect, request }, index): [string, string | undefined] => [
      `customOpts.connectSteps[${index}].${redirect ? "redirect" : "request"}.url`,
      (redirect ?? request)?.url,
    ]),
    ...refreshSteps.map(({ request }, index): [string, string] => [
      `customOpts.refreshSteps[${index}].request.url`,
      request.url,
    ]),
  ];
}

/** What in `value` does not fit `schema`, members that the schema does not know included. */
export function shapeFaults(schema: TSchema, value: unknown, path: string): Fault[] {
  const wrong = (expected: string): Fault[] => [
    { path, message: `must be ${expected}, but is ${nameOf(value)}` },
  ];

  if (Type.IsUnion(schema)) {
    const choices = schema.anyOf.filter(Type.IsLiteral).map((literal) => literal.const);
    if (choices.some((choice) => choice === value)) return [];
    return wrong(`one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
  }
  if (Type.IsLiteral(schema)) return value === schema.const ? [] : wrong(JSON.stringify(schema.const));
  if (Type.IsString(schema)) return typeof value === "string" ? [] : wrong("text");
  if (Type.IsBoolean(schema)) return typeof value === "boolean" ? [] : wrong("true or false");
  if (Type.IsInteger(schema)) return Number.isInteger(value) ? [] : wrong("a whole number");
  if (Type.IsArray(schema)) {
    if (!Array.isArray(value)) return wrong("a list");
    return value.flatMap((item, index) => shapeFaults(schema.items, item, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return wrong("an object");
  if (Type.IsRecord(schema)) {
    const [member] = Object.values(schema.patternProperties);
    return Object.entries(value).flatMap(([name, item]) =>
      member ? shapeFaults(member, item, `${path}.${name}`) : [],
    );
  }
  return Type.IsObject(schema) ? memberFaults(schema.properties, value, path) : [];
}

function memberFaults(properties: Record<string, TSchema>, value: object, path: string): Fault[] {
  const given = Object.entries(value);
  const unknown = given.filter(([name]) => !Object.hasOwn(properties, name));
  const missing = Object.keys(properties).filter(
    (name) => !Object.hasOwn(value, name) && properties[name] && !Type.IsOptional(properties[name]),
  );
  return [
    ...unknown.map(([name]) => ({
      path: `${path}.${name}`,
      message: unknownMember(name, Object.keys(properties)),
    })),
    ...missing.map((name) => ({ path: `${path}.${name}`, message: "missing" })),
    ...given.flatMap(([name, item]) =>
      Object.hasOwn(properties, name) && properties[name]
        ? shapeFaults(properties[name], item, `${path}.${name}`)
        : [],
    ),
  ];
}

function unknownMember(name: string, known: string[]): string {
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 3)))
    .toSorted((left, right) => left.distance - right.distance)[0];
  return near
    ? `unknown member, did you mean "${near.candidate}"?`
    : `unknown member; known are ${known.join(", ")}`;
}

/** Levenshtein: how many letters must be added, dropped or changed. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const change = (row[j] ?? 0) + (left[i] === right[j] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
