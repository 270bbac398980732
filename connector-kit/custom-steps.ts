/** A provider's own way to connect, as data: what each step asks for and what its answer brings. Pure. */
import type { Json } from "../server/ground/json.ts";
import { requireHeaderText } from "./authorization.ts";
import type { ProviderInfo } from "./provider-info.ts";
import type { Redirect, StepRequest } from "./auth-options.ts";
import { fillTemplate, placeholders, providerUrl, type UrlOptions } from "./template.ts";
import { textAt } from "./text-at.ts";

/** A value that a step should have brought and did not. */
export class StepError extends Error {
  override name = "StepError";
}

export interface Brought {
  /** Secrets by name. */
  values: Record<string, string>;
  /** What may be shown, by name. */
  metadata: Record<string, string>;
  expiresInSeconds?: number;
}

/** Values by name: what the customer entered, the provider app, and what earlier steps brought. */
type Values = Record<string, string>;
type UrlRules = Pick<UrlOptions, "allowPlainHttp">;

/** The address of a step with its parameters. Throws `TemplateError`. */
export function stepUrl(
  provider: ProviderInfo,
  { url, params = {} }: Pick<Redirect, "url" | "params">,
  values: Values,
  rules: UrlRules,
): URL {
  const filled = providerUrl(provider, url, { values, ...rules });
  for (const [name, template] of Object.entries(params)) {
    filled.searchParams.set(name, fillTemplate(template, values));
  }
  return filled;
}

/** Whether the redirect sends a state, which then must come back. */
export const sendsState = ({ params = {} }: Redirect): boolean =>
  Object.values(params).some((template) => placeholders(template).includes("state"));

/** What came back from the provider's page. Throws `StepError` with a sentence for the customer. */
export function readCallback({ expect = {}, ...brings }: Redirect, params: Record<string, string>): Brought {
  if (params["error"]) {
    const said = [params["error"], params["error_description"]].filter(Boolean).join(": ");
    throw new StepError(`the provider did not allow it (${said.slice(0, 300)})`);
  }
  for (const [name, wanted] of Object.entries(expect)) {
    if (own(params, name)?.toLowerCase() !== wanted.toLowerCase()) {
      throw new StepError(`the provider did not say that ${name} is ${wanted}`);
    }
  }
  return bring(brings, (name) => own(params, name));
}

export interface StepCall {
  url: URL;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
}

/** The call of a step. Throws `TemplateError` and `CredentialsError`. */
export function requestOf(
  provider: ProviderInfo,
  request: StepRequest,
  values: Values,
  rules: UrlRules,
): StepCall {
  const { method, basic, form, json } = request;
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
  return { url: stepUrl(provider, request, values, rules), method, headers, body };
}

/** What an answer brings. Throws `StepError` when something is not in it. */
export function readAnswer(request: StepRequest, answer: Json, values: Values): Brought {
  const brought = bring(request, (path) => textAt(answer, path));
  const seconds = request.expiresIn ? Number(textAt(answer, request.expiresIn)) : Number.NaN;
  const all = { ...values, ...brought.metadata, ...brought.values };
  for (const [name, template] of Object.entries(request.base64 ?? {})) {
    brought.values[name] = toBase64(fillTemplate(template, all));
  }
  return { ...brought, ...(Number.isFinite(seconds) && seconds > 0 && { expiresInSeconds: seconds }) };
}

/** Names of the values that a connection still needs once it is made: the rest, passwords above all, is not kept. */
export function neededValues({ customOpts }: ProviderInfo): Set<string> {
  const { headers = [], queryParams = [], refreshSteps = [] } = customOpts ?? {};
  const templates = [...headers, ...queryParams].map(({ valueTemplate }) => valueTemplate);
  for (const { request } of refreshSteps) {
    const { basic, headers: own, params, form, json, base64, url } = request;
    templates.push(url, basic?.username ?? "", basic?.password ?? "");
    for (const part of [own, params, form, json, base64]) templates.push(...Object.values(part ?? {}));
  }
  return new Set(templates.flatMap(placeholders));
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

const own = (params: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(params, name) && params[name] !== "" ? params[name] : undefined;

const toBase64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
