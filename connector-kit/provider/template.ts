/** Fills `{{.name}}` templates. No value can send a credential to a host that the provider's facts do not allow. */
import type { ProviderInfo } from "../provider-info.ts";

/** A name has no value, or a value that is not allowed there. */
export class TemplateError extends Error {
  override name = "TemplateError";
  /** The placeholder at fault, without braces; undefined if the template itself is at fault. */
  readonly placeholder?: string;

  constructor(message: string, placeholder?: string) {
    super(message);
    this.placeholder = placeholder;
  }
}

export interface UrlOptions {
  /** Metadata of the connection by name: workspace, region, values of the token answer. */
  values: Record<string, string>;
  /** Returns whether a whole URL as value may be `http://`: only for hosts that the operator allowed. */
  allowPlainHttp?: (host: string) => boolean;
}

/** Returns the API's address for a connection, that of a module if `moduleKey` names one. */
export function fillBaseUrl(provider: ProviderInfo, options: UrlOptions & { moduleKey?: string }): URL {
  if (!options.moduleKey) return fillUrl(provider, provider.baseURL, options);
  const module = provider.modules?.[options.moduleKey];
  if (!module) throw new TemplateError(`${provider.name} has no module "${options.moduleKey}"`);
  return fillUrl(provider, module.baseURL, options);
}

/** Returns the address of the consent page, without the parameters of a request. */
export const authorizeUrl = (provider: ProviderInfo, options: UrlOptions): URL =>
  fillUrl(provider, chooseOauthTemplate(provider, "authURL", options), options);

/** Returns the address of the token endpoint. */
export const fillTokenUrl = (provider: ProviderInfo, options: UrlOptions): URL =>
  fillUrl(provider, chooseOauthTemplate(provider, "tokenURL", options), options);

/** Returns the address that checks credentials; undefined if the provider has none. */
export const fillHealthCheckUrl = (provider: ProviderInfo, options: UrlOptions): URL | undefined =>
  provider.authHealthCheck ? fillUrl(provider, provider.authHealthCheck.url, options) : undefined;

/** Fills any other address of a provider's facts, such as one of a sign-in step. */
export const fillProviderUrl = (provider: ProviderInfo, template: string, options: UrlOptions): URL =>
  fillUrl(provider, template, options);

/** Uses the address without a workspace if the workspace is unknown and the provider has such an address. */
function chooseOauthTemplate(
  { oauth2Opts }: ProviderInfo,
  which: "authURL" | "tokenURL",
  { values }: UrlOptions,
): string | undefined {
  const template = oauth2Opts?.[which];
  const lacksWorkspace = template && listPlaceholders(template).includes("workspace") && !values["workspace"];
  return lacksWorkspace ? (oauth2Opts.withoutWorkspace?.[which] ?? template) : template;
}

/** Returns the names of the placeholders in a template, in order of appearance, each once. */
export const listPlaceholders = (template: string): string[] => [
  ...new Set(Array.from(template.matchAll(PLACEHOLDER), (match) => match[1] ?? "")),
];

/** Replaces placeholders by unchanged values, for texts that are not addresses. Throws if a name has no value. */
export function fillTemplate(template: string, values: Record<string, string>): string {
  return template.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === "") throw new TemplateError(`no value for "${name}"`, name);
    return value;
  });
}

/**
 * Checks a base URL that a provider's answer contains (Salesforce's `instance_url`, Gong's API address) against the
 * hosts that the provider's facts allow.
 */
export function checkReportedUrl(
  provider: ProviderInfo,
  text: string,
  options: Omit<UrlOptions, "values">,
): URL {
  const url = parseUrl(text);
  if (options.allowPlainHttp?.(url.host) && url.protocol === "http:") return url;
  if (url.protocol !== "https:") throw new TemplateError(`${JSON.stringify(text)} must begin with https://`);
  if (url.port !== "") throw new TemplateError(`${JSON.stringify(text)} must not name a port`);
  if (!provider.hostSuffixes?.some((suffix) => endsWithLabel(url.hostname, suffix))) {
    throw new TemplateError(`${url.hostname} is not a host of ${provider.name}`);
  }
  return url;
}

/**
 * Normalizes the customer's inputs: cuts a pasted address down to the part that is needed
 * (`https://acme.lightning.force.com/x` becomes `acme`) and fills in defaults.
 */
export function normalizeInputs(
  provider: ProviderInfo,
  values: Record<string, string>,
): Record<string, string> {
  const normal = { ...values };
  for (const input of provider.metadata?.input ?? []) {
    const value = values[input.name]?.trim() || input.defaultValue;
    if (value === undefined) continue;
    const suffixes = [...(input.pastedSuffixes ?? []), ...listOwnSuffixes(provider.baseURL, input.name)];
    normal[input.name] = cutPasted(value, suffixes);
  }
  return normal;
}

const PLACEHOLDER = /\{\{\s*\.\s*(\w+)\s*\}\}/g;

/** Host labels joined by single dots. They cannot end the host, open a path, or add a user or a port. */
const SAFE_VALUE =
  /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

function fillUrl(provider: ProviderInfo, template: string | undefined, options: UrlOptions): URL {
  if (!template) throw new TemplateError(`${provider.name} has no such address`);
  const values = normalizeInputs(provider, options.values);
  const whole = /^\{\{\s*\.\s*(\w+)\s*\}\}$/.exec(template)?.[1];
  if (whole) return checkReportedUrl(provider, fillTemplate(template, values), options);

  for (const name of listPlaceholders(template)) {
    const value = values[name];
    if (value && !SAFE_VALUE.test(value)) {
      throw new TemplateError(`"${name}" has a value that is not allowed in an address`, name);
    }
  }
  const completed = withWholeHost(provider, template, values);
  const url = parseUrl(fillTemplate(completed, values));
  const host = getHostPart(completed);
  if (!host.includes("{{")) return url;

  const fixed = host.slice(host.lastIndexOf("}}") + 2).toLowerCase();
  const isOurs = /^[.-]/.test(fixed)
    ? url.host.endsWith(fixed) && url.host !== fixed
    : provider.hostSuffixes?.some((suffix) => endsWithLabel(url.hostname, suffix));
  if (!isOurs) {
    throw new TemplateError(`${url.hostname} is not a host of ${provider.name}`, listPlaceholders(host)[0]);
  }
  return url;
}

/** Leaves out what a template adds to a value that is a whole host of the provider, as in a cloud with a domain of its own. */
function withWholeHost(provider: ProviderInfo, template: string, values: Record<string, string>): string {
  const [all = "", placeholder = "", name = ""] =
    /^(\{\{\s*\.\s*(\w+)\s*\}\})[^{}]+$/.exec(getHostPart(template)) ?? [];
  const host = values[name]?.toLowerCase() ?? "";
  const suffixes = provider.hostSuffixes?.filter((suffix) => suffix !== "*") ?? [];
  return suffixes.some((suffix) => endsWithLabel(host, suffix))
    ? template.replace(all, placeholder)
    : template;
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !["https:", "http:"].includes(url.protocol)) {
    throw new TemplateError(`${JSON.stringify(text)} is not a web address`);
  }
  if (url.username || url.password || url.hash || text.includes("@")) {
    throw new TemplateError("an address must not hold credentials or a fragment");
  }
  return url;
}

/** Returns the text between `//` and the next `/`, with placeholders. */
const getHostPart = (template: string): string => /^\w+:\/\/([^/?#]*)/.exec(template)?.[1] ?? "";

/** Returns the fixed text after a placeholder in the host of a template, which people paste with the value. */
function listOwnSuffixes(template: string, name: string): string[] {
  const [, placeholder, fixed] = /^\{\{\s*\.\s*(\w+)\s*\}\}(.*)$/.exec(getHostPart(template)) ?? [];
  return placeholder === name && fixed && !fixed.includes("{{") ? [fixed] : [];
}

function cutPasted(value: string, suffixes: string[]): string {
  const pasted = /^https?:\/\/([^/?#]+)/i.exec(value)?.[1] ?? value.replace(/\/+$/, "");
  const longestFirst = suffixes.toSorted((left, right) => right.length - left.length);
  const suffix = longestFirst.find((candidate) => pasted.toLowerCase().endsWith(candidate));
  return suffix ? pasted.slice(0, -suffix.length) : pasted;
}

/** Returns whether a host fits the pattern: `.gong.io` means any host below gong.io, `gong.io` that host alone, `*` any host. */
const endsWithLabel = (host: string, suffix: string): boolean =>
  suffix === "*" || (suffix.startsWith(".") ? host.endsWith(suffix) && host !== suffix : host === suffix);
