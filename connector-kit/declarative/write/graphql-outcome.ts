/** Judges answers to mutations that have errors, by what the GraphQL specification says about partial results. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { Connector, RecordWrite } from "../../connector.ts";
import type { ProviderResponse } from "../../calls/provider-fetch.ts";
import { shorten } from "../../../ground/storable-text.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import { parseBody } from "../../calls/send-request.ts";
import { getTextAt } from "../../calls/get-text-at.ts";
import { isRefusedPayload, UNEXPECTED } from "../create-declarative-classify.ts";
import type { Description } from "../rules/description.ts";
import { getMember, readRecordId, type ObjectPlan } from "../object-plan.ts";

type Classify = NonNullable<Connector["classify"]>;

interface Judge {
  classify: Classify;
  /** Returns the provider's message about a record that was written all the same. */
  warning(): string | undefined;
  /** Returns whether the error is about this record alone: it may have been written. */
  isOfRecord(error: unknown): boolean;
}

/** Judges as `classify` whatever is not the answer to a mutation. */
export function judgeMutation(
  plan: ObjectPlan,
  type: RecordWrite["type"],
  classify: Classify,
  errors: Description["errors"],
): Judge {
  const field = type === "upsert" ? undefined : plan.graphql?.[type]?.field;
  if (field === undefined) return { classify, warning: () => undefined, isOfRecord: () => false };
  let warning: string | undefined;
  let open: ProviderError | undefined;
  return {
    warning: () => warning,
    isOfRecord: (error) => error !== undefined && error === open,
    classify(response, account) {
      const refusal = classify(response, account);
      if (!refusal && isGood(response) && !isAnswered(response, field))
        return (open = toUnknownOutcome(plan, buildSilent(response)));
      const faults = refusal && isGood(response) ? listErrors(response) : [];
      if (!refusal || faults.length === 0) return refusal;
      const payload = getMember(parseBody(response.text), `data.${field}`);
      if (payload !== undefined && isJsonObject(payload)) {
        // Errors below the field were met while the answer was made, after the mutation.
        if (isRefusedPayload(payload)) return refusal;
        if (!isWritten(plan, payload)) return (open = toUnknownOutcome(plan, refusal));
        warning = `${plan.name} was written, but the provider's answer has errors: ${refusal.message}`;
        return undefined;
      }
      // A null that is not allowed takes the place of what is around it, up to the whole.
      if (faults.some((fault) => isBelow(fault, field))) return (open = toUnknownOutcome(plan, refusal));
      if (!isUnexpected(faults, errors)) return refusal;
      const error = toUnexpected(type, refusal);
      if (error.kind === "unknown_outcome") open = error;
      return error;
    },
  };
}

/** Returns whether an answer has the result of the mutation. Without errors, it always does (GraphQL specification, 7.1). */
function isAnswered({ text }: ProviderResponse, field: string): boolean {
  const payload = getMember(parseBody(text), `data.${field}`);
  return payload !== undefined && isJsonObject(payload);
}

const buildSilent = ({ status, text }: ProviderResponse): ProviderError =>
  new ProviderError({
    kind: "unreadable",
    message: text.trim() === "" ? "it is empty" : shorten(text, LONGEST_WORDS),
    status,
    rawResponse: shorten(text),
  });

const LONGEST_WORDS = 200;

const isGood = ({ status }: ProviderResponse): boolean => status >= 200 && status < 300;

function listErrors({ text }: ProviderResponse): Json[] {
  const body = parseBody(text);
  const errors = body !== undefined && isJsonObject(body) ? body["errors"] : undefined;
  return Array.isArray(errors) ? errors : [];
}

const isWritten = (plan: ObjectPlan, payload: JsonObject): boolean =>
  payload["success"] === true ||
  Array.isArray(payload["userErrors"]) ||
  readRecordId(payload[plan.graphql?.record ?? plan.graphql?.get ?? ""], plan) !== undefined;

function isBelow(fault: Json, field: string): boolean {
  const path = isJsonObject(fault) ? fault["path"] : undefined;
  return Array.isArray(path) && path[0] === field && path.length > 1;
}

const isUnexpected = (faults: Json[], { codes = {} }: Description["errors"]): boolean =>
  !Object.hasOwn(codes, UNEXPECTED) &&
  faults.some((fault) => getTextAt(fault, "extensions.code") === UNEXPECTED);

/** The mutation was carried out, or refused by its payload, which is not there. */
const toUnknownOutcome = (
  plan: ObjectPlan,
  { message, code, status, rawResponse }: ProviderError,
): ProviderError =>
  new ProviderError({
    kind: "unreadable",
    message: `${plan.name} may have been written; the provider could not answer with the result: ${message}`,
    code,
    status,
    rawResponse,
  });

/** Treated like a status 500: a create may have been carried out. */
const toUnexpected = (type: RecordWrite["type"], refusal: ProviderError): ProviderError => {
  const { message, code, status, rawResponse } = refusal;
  const kind = type === "create" ? "unknown_outcome" : "unavailable";
  return new ProviderError({ kind, message, code, status, rawResponse });
};
