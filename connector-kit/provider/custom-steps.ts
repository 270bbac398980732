/** Runs a provider's own sign-in steps, which the catalog holds as data: requests and values. Pure. */
import type { Json } from "../../ground/json.ts";
import { requireHeaderText } from "./authorization.ts";
import type { ProviderInfo } from "../provider-info.ts";
import type { Redirect, StepRequest } from "./auth-options.ts";
import { withAssertion } from "./signed-assertion.ts";
import { fillTemplate, listPlaceholders, fillProviderUrl, type UrlOptions } from "./template.ts";
import { getTextAt } from "../calls/get-text-at.ts";

/** A step did not yield a value that it should. */
export class StepError extends Error {
  override name = "StepError";
}

export interface Brought {
  /** Secrets by name. */
  values: Record<string, string>;
  /** Values that may be shown, by name. */
  metadata: Record<string, string>;
  expiresInSeconds?: number;
}

/** Values by name: the customer's inputs, the provider app's, and those of earlier steps. */
type Values = Record<string, string>;
type UrlRules = Pick<UrlOptions, "allowPlainHttp">;

/** Returns the address of a step with its parameters. Throws `TemplateError`. */
export function fillStepUrl(
  provider: ProviderInfo,
  { url, params = {} }: Pick<Redirect, "url" | "params">,
  values: Values,
  rules: UrlRules,
): URL {
  const filled = fillProviderUrl(provider, url, { values, ...rules });
  for (const [name, template] of Object.entries(params)) {
    filled.searchParams.set(name, fillTemplate(template, values));
  }
  return filled;
}

/** Returns whether the redirect sends a state, which must come back then. */
export const sendsState = ({ params = {} }: Redirect): boolean =>
  Object.values(params).some((template) => listPlaceholders(template).includes("state"));

/**
 * Reads the parameters that came back from the provider's page. Throws `StepError` with a sentence for the customer.
 */
export function readCallback({ expect = {}, ...brings }: Redirect, params: Record<string, string>): Brought {
  if (params["error"]) {
    const said = [params["error"], params["error_description"]].filter(Boolean).join(": ");
    throw new StepError(`the provider did not allow it (${said.slice(0, 300)})`);
  }
  for (const [name, wanted] of Object.entries(expect)) {
    if (readOwn(params, name)?.toLowerCase() !== wanted.toLowerCase()) {
      throw new StepError(`the provider did not say that ${name} is ${wanted}`);
    }
  }
  return bring(brings, (name) => readOwn(params, name));
}

interface StepCall {
  url: URL;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
}

/** Builds the call of a step. Throws `TemplateError` and `CredentialsError`. */
export function buildRequest(
  provider: ProviderInfo,
  request: StepRequest,
  given: Values,
  rules: UrlRules,
): StepCall {
  const { method, basic, form, json } = request;
  const values = withAssertion(request, given);
  const fill = (templates: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(templates).map(([name, template]) => [name, fillTemplate(template, values)]),
    );
  const headers: Record<string, string> = { accept: "application/json", ...fill(request.headers) };
  if (basic) {
    const pair = `${fillTemplate(basic.username, values)}:${fillTemplate(basic.password, values)}`;
    headers["authorization"] = `Basic ${toBase64(pair)}`;
  }
  for (const [name, text] of Object.entries(headers)) requireHeaderText(provider, name, text);
  const body = form ? new URLSearchParams(fill(form)).toString() : json && JSON.stringify(fill(json));
  if (body !== undefined) {
    headers["content-type"] = form ? "application/x-www-form-urlencoded" : "application/json";
  }
  return { url: fillStepUrl(provider, request, values, rules), method, headers, body };
}

/** Reads a step's values from an answer. Throws `StepError` if one is missing. */
export function readAnswer(request: StepRequest, answer: Json, values: Values): Brought {
  const brought = bring(request, (path) => getTextAt(answer, path));
  const seconds = request.expiresIn ? Number(getTextAt(answer, request.expiresIn)) : Number.NaN;
  const all = { ...values, ...brought.metadata, ...brought.values };
  for (const [name, template] of Object.entries(request.base64 ?? {})) {
    brought.values[name] = toBase64(fillTemplate(template, all));
  }
  return { ...brought, ...(Number.isFinite(seconds) && seconds > 0 && { expiresInSeconds: seconds }) };
}

/** Returns the names of the values that a connection needs later. All others, passwords above all, are not stored. */
export function listNeededValues({ customOpts }: ProviderInfo): Set<string> {
  const { headers = [], queryParams = [], refreshSteps = [] } = customOpts ?? {};
  const templates = [...headers, ...queryParams].map(({ valueTemplate }) => valueTemplate);
  for (const { request } of refreshSteps) {
    const { basic, headers: readOwn, params, form, json, base64, url, unpack, assertion } = request;
    templates.push(url, basic?.username ?? "", basic?.password ?? "");
    templates.push(unpack ? `{{.${unpack.from}}}` : "", assertion?.key ?? "", assertion?.keyId ?? "");
    for (const part of [readOwn, params, form, json, base64, assertion?.claims])
      templates.push(...Object.values(part ?? {}));
  }
  return new Set(templates.flatMap(listPlaceholders));
}

function bring(
  { take = {}, metadata = {} }: Pick<Redirect, "take" | "metadata">,
  find: (where: string) => string | undefined,
): Brought {
  const read = (wanted: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(wanted).map(([name, where]) => {
        const value = find(where);
        if (value === undefined) throw new StepError(`the provider's answer has no \`${where}\``);
        return [name, value];
      }),
    );
  return { values: read(take), metadata: read(metadata) };
}

const readOwn = (params: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(params, name) && params[name] !== "" ? params[name] : undefined;

const toBase64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
