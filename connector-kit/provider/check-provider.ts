/** Checks a provider's facts, built in or from an overlay, and reports every fault with its path. */
import { Type, type TSchema } from "typebox";
import { findClosest } from "../../ground/closest.ts";
import { isJsonObject } from "../../ground/json.ts";
import { findSignatureFaults } from "./signature-facts.ts";
import { ProviderInfoSchema, type ProviderInfo } from "../provider-info.ts";

export interface ProviderFault {
  /** Where, for example `providers.hubspot.oauth2Opts.tokenUrl`. */
  path: string;
  message: string;
}

type ProviderCheck = { info: ProviderInfo; faults: [] } | { info: undefined; faults: ProviderFault[] };

/** Returns the provider if it is complete and consistent, or every fault in it. */
export function checkProvider(value: unknown, path: string): ProviderCheck {
  if (!hasShape(value, path))
    return { info: undefined, faults: findShapeFaults(ProviderInfoSchema, value, path) };
  const faults = findConsistencyFaults(value, path);
  return faults.length > 0 ? { info: undefined, faults } : { info: value, faults: [] };
}

const hasShape = (value: unknown, path: string): value is ProviderInfo =>
  findShapeFaults(ProviderInfoSchema, value, path).length === 0;

/** Checks members that depend on each other. */
function findConsistencyFaults(info: ProviderInfo, path: string): ProviderFault[] {
  const faults: ProviderFault[] = [];
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
  if (info.hostSuffixes?.includes("*") && oauth2Opts?.authURL !== undefined) {
    fault("hostSuffixes", "must not be * for a provider whose sign-in sends your client secret");
  }
  if (info.defaultModule !== "" && !Object.hasOwn(info.modules ?? {}, info.defaultModule)) {
    fault("defaultModule", `"${info.defaultModule}" is not one of the modules`);
  }
  for (const [member, message] of findSignatureFaults(info)) fault(member, message);
  for (const [member, address] of listAddresses(info)) {
    if (!/^(https?:\/\/|\{\{)/.test(address)) fault(member, "must begin with https:// or a placeholder");
  }
  return faults;
}

/** Lists every address in a provider's facts that a credential may be sent to, by member path. */
export function listAddresses(info: ProviderInfo): [member: string, address: string][] {
  const found: [string, string | undefined][] = [
    ["baseURL", info.baseURL],
    ["pubSubURL", info.pubSubURL],
    ["oauth2Opts.authURL", info.oauth2Opts?.authURL],
    ["oauth2Opts.tokenURL", info.oauth2Opts?.tokenURL],
    ["oauth2Opts.withoutWorkspace.authURL", info.oauth2Opts?.withoutWorkspace?.authURL],
    ["oauth2Opts.withoutWorkspace.tokenURL", info.oauth2Opts?.withoutWorkspace?.tokenURL],
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

/** Lists where `value` does not fit `schema`, including members that the schema does not know. */
export function findShapeFaults(schema: TSchema, value: unknown, path: string): ProviderFault[] {
  const wrong = (expected: string): ProviderFault[] => [
    { path, message: `must be ${expected}, but is ${toName(value)}` },
  ];

  if (Type.IsUnknown(schema)) return [];
  if (Type.IsUnion(schema)) {
    const choices = schema.anyOf.filter(Type.IsLiteral).map((literal) => literal.const);
    if (choices.some((choice) => choice === value)) return [];
    if (choices.length === 0)
      return schema.anyOf.some((one) => findShapeFaults(one, value, path).length === 0)
        ? []
        : wrong("text, a number, true or false");
    return wrong(`one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
  }
  if (Type.IsLiteral(schema)) return value === schema.const ? [] : wrong(JSON.stringify(schema.const));
  if ("enum" in schema && Array.isArray(schema.enum))
    return schema.enum.includes(value)
      ? []
      : wrong(`one of ${schema.enum.map((choice) => JSON.stringify(choice)).join(", ")}`);
  if (Type.IsString(schema)) return typeof value === "string" ? [] : wrong("text");
  if (Type.IsBoolean(schema)) return typeof value === "boolean" ? [] : wrong("true or false");
  if (Type.IsNumber(schema)) return typeof value === "number" ? [] : wrong("a number");
  if (Type.IsInteger(schema)) return Number.isInteger(value) ? [] : wrong("a whole number");
  if (Type.IsArray(schema)) {
    if (!Array.isArray(value)) return wrong("a list");
    return value.flatMap((item, index) => findShapeFaults(schema.items, item, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return wrong("an object");
  if (Type.IsRecord(schema)) {
    const [member] = Object.values(schema.patternProperties);
    return Object.entries(value).flatMap(([name, item]) =>
      member ? findShapeFaults(member, item, `${path}.${name}`) : [],
    );
  }
  return Type.IsObject(schema) ? findMemberFaults(schema.properties, value, path) : [];
}

function findMemberFaults(properties: Record<string, TSchema>, value: object, path: string): ProviderFault[] {
  const given = Object.entries(value);
  const unknown = given.filter(([name]) => !Object.hasOwn(properties, name));
  const missing = Object.entries(properties).filter(
    ([name, schema]) => !Object.hasOwn(value, name) && !Type.IsOptional(schema),
  );
  return [
    ...unknown.map(([name]) => ({
      path: `${path}.${name}`,
      message: refuseUnknownMember(name, Object.keys(properties)),
    })),
    ...missing.map(([name, schema]) => ({ path: `${path}.${name}`, message: toMissing(schema) })),
    ...given.flatMap(([name, item]) =>
      Object.hasOwn(properties, name) && properties[name]
        ? findShapeFaults(properties[name], item, `${path}.${name}`)
        : [],
    ),
  ];
}

/** Says what belongs there: a reader who left it out does not know it. */
function toMissing(schema: TSchema & { description?: string }): string {
  if (!Type.IsObject(schema)) return schema.description ? `missing: ${schema.description}` : "missing";
  const all = Object.entries<TSchema>(schema.properties);
  const members = all.filter(([, member]) => !Type.IsOptional(member));
  if (members.length === 0)
    return `missing; it may be empty ({}), or have ${all.map(([name]) => name).join(", ")}`;
  return `missing; it has the members ${members.map(([name]) => name).join(", ")}`;
}

function refuseUnknownMember(name: string, known: string[]): string {
  const near = findClosest(name, known);
  return near === undefined
    ? `unknown member; known are ${known.join(", ")}`
    : `unknown member, did you mean "${near}"?`;
}

function toName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
