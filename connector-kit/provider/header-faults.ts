/** Checks the headers that a builder's custom provider sets: in credentials, in steps of a sign-in, and in described requests. */
import type { ProviderFault } from "./check-provider.ts";
import type { Description } from "../declarative/rules/description.ts";
import type { ProviderInfo } from "../provider-info.ts";
import { isJsonObject } from "../../ground/json.ts";

/** Returns names that no request can set, line breaks in values, and literal values of headers that carry credentials. */
export const findHeaderFaults = (
  info: ProviderInfo,
  description: Description | undefined,
): ProviderFault[] => [
  ...findTemplateFaults(info),
  ...findCredentialFaults(info),
  ...findStepFaults(info),
  ...findDeclarativeFaults(description, "connector"),
];

/** Headers that carry credentials must take them from the connection. */
const SECRET_HEADER = /authorization|cookie|secret|token|password|api-?key/i;

/** These belong to the connection or name its server. */
const TRANSPORT_HEADER =
  /^(host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;

const findNameFaults = (place: string, name: string): ProviderFault[] =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name) && !TRANSPORT_HEADER.test(name)
    ? []
    : [{ path: place, message: "is no header that a request can set" }];

const findValueFaults = (place: string, value: string): ProviderFault[] =>
  /^[\t\x20-\x7e]*$/.test(value) ? [] : [{ path: place, message: "must be ASCII without line breaks" }];

function findTemplateFaults({ fixedHeaders = [], customOpts }: ProviderInfo): ProviderFault[] {
  const lists = [
    ["fixedHeaders", fixedHeaders],
    ["customOpts.headers", customOpts?.headers ?? []],
  ] as const;
  return lists.flatMap(([list, headers]) =>
    headers.flatMap(({ name, valueTemplate }, index) => {
      const place = `${list}[${index}]`;
      const faults = [
        ...findNameFaults(`${place}.name`, name),
        ...findValueFaults(`${place}.valueTemplate`, valueTemplate),
      ].slice(0, 1);
      if (faults.length > 0 || !SECRET_HEADER.test(name) || valueTemplate.includes("{{")) return faults;
      const message = "looks like a secret: take it from the connection with a placeholder {{.name}}";
      return [{ path: `${place}.valueTemplate`, message }];
    }),
  );
}

function findCredentialFaults({ apiKeyOpts, oauth2Opts }: ProviderInfo): ProviderFault[] {
  const places = [
    ["apiKeyOpts.header", apiKeyOpts?.header],
    ["oauth2Opts.accessTokenOpts.header", oauth2Opts?.accessTokenOpts?.header],
  ] as const;
  return places.flatMap(([place, header]) =>
    header
      ? [
          ...findNameFaults(`${place}.name`, header.name),
          ...findValueFaults(`${place}.valuePrefix`, header.valuePrefix ?? ""),
        ]
      : [],
  );
}

function findStepFaults({ customOpts }: ProviderInfo): ProviderFault[] {
  const { connectSteps = [], refreshSteps = [] } = customOpts ?? {};
  const lists = [
    ["connectSteps", connectSteps],
    ["refreshSteps", refreshSteps],
  ] as const;
  return lists.flatMap(([list, steps]) =>
    steps.flatMap(({ request }, index) =>
      findTextFaults(request?.headers ?? {}, `customOpts.${list}[${index}].request.headers`),
    ),
  );
}

const findTextFaults = (headers: Record<string, string>, place: string): ProviderFault[] =>
  Object.entries(headers).flatMap(([name, value]) => [
    ...findNameFaults(`${place}.${name}`, name),
    ...findValueFaults(`${place}.${name}`, value),
  ]);

/** Members whose content goes to the provider as it is. */
const CONTENT = new Set(["body", "also", "query", "fieldsTo"]);

/** Finds the headers of all requests of a description, wherever they are. */
function findDeclarativeFaults(value: unknown, path: string): ProviderFault[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => findDeclarativeFaults(item, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${path}.${name}`;
    if (CONTENT.has(name)) return [];
    return name === "headers" && isTexts(member)
      ? findTextFaults(member, place)
      : findDeclarativeFaults(member, place);
  });
}

const isTexts = (value: unknown): value is Record<string, string> =>
  isJsonObject(value) && Object.values(value).every((text) => typeof text === "string");
