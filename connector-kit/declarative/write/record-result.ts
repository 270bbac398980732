/** Reads what a provider tells about one written record: that it was written, or why not. */
import type { Json } from "../../../ground/json.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import { getTextAt } from "../../calls/get-text-at.ts";
import { findKindByText, findReason } from "../create-declarative-classify.ts";
import type { Description } from "../rules/description.ts";
import type { ResultRules } from "../rules/write-rules.ts";

/** Returns the refusal of the record; undefined if it was written. */
export function findRefusal(
  rules: ResultRules,
  errors: Description["errors"],
  result: Json | undefined,
): ProviderError | undefined {
  const { okWhen } = rules;
  if (okWhen === undefined || result === undefined) return undefined;
  const { path, values } = readCondition(okWhen);
  const value = findText(result, path);
  return value !== undefined && values.includes(value) ? undefined : readRefusal(rules, errors, result);
}

export function readRefusal(
  rules: Pick<ResultRules, "message" | "code">,
  errors: Description["errors"],
  result: Json,
  message?: string,
): ProviderError {
  const codePath = rules.code;
  const code = codePath === undefined ? undefined : findText(result, codePath);
  const known =
    code !== undefined && Object.hasOwn(errors.codes ?? {}, code) ? errors.codes?.[code] : undefined;
  const reason = message ?? findReason(result, rules.message ?? errors.message, errors.field);
  return new ProviderError({
    kind: known ?? findKindByText(reason, errors.texts) ?? "invalid",
    message: reason ?? "the provider refused the record without a reason",
    ...(code !== undefined && { code }),
  });
}

function readCondition(okWhen: string): { path: string; values: string[] } {
  const [path = "", values = ""] = okWhen.split("=");
  return { path, values: values.split("|") };
}

/** An empty path is the result itself. */
export function findText(result: Json, path: string): string | undefined {
  if (path !== "") return getTextAt(result, path);
  return typeof result === "string" || typeof result === "number" ? String(result) : undefined;
}

export const findOkWhenFault = (okWhen: string | undefined): string | undefined =>
  okWhen === undefined || /^[^=]+=[^=]+$/.test(okWhen) ? undefined : "must be path=value";
