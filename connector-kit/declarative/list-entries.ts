/** Finds the entries of a list in an answer. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { requireObject } from "../calls/page-check.ts";
import { joinLists, getTextAt } from "../calls/get-text-at.ts";
import { shorten } from "../../ground/storable-text.ts";
import { ProviderError } from "../calls/provider-error.ts";
import { findReason } from "./create-declarative-classify.ts";
import { readRefusal } from "./write/record-result.ts";
import { fillPath } from "./fill-path.ts";
import { getMember, type ObjectPlan } from "./object-plan.ts";
import { nestValue } from "./request-parts.ts";

/** Throws `ProviderError` where the answer has no list. */
export function listEntries(body: Json, rules: ObjectPlan): JsonObject[] {
  const each = rules.each === undefined ? undefined : fillPath(rules.each, rules);
  const listed = listIn(body, rules);
  if (!Array.isArray(listed)) throw buildListless(body, rules);
  return listed.map((entry) => requireObject(getMember(entry, each), "a record"));
}

const MAX_WORDS = 300;

/** The error for a success that has words in place of the list: the provider's for a refusal, or those of something in between. */
function buildListless(body: Json, { errors }: ObjectPlan): ProviderError {
  const refusal =
    findReason(body, errors.message, errors.field) === undefined
      ? undefined
      : readRefusal(errors, errors, body);
  const said = refusal?.message ?? JSON.stringify(body);
  return new ProviderError({
    // The status says that it is no refusal.
    kind: refusal === undefined || refusal.kind === "invalid" ? "unreadable" : refusal.kind,
    message: `the provider answered with a success without the list of records: ${shorten(said, MAX_WORDS)}`,
    code: refusal?.code,
    status: 200,
    rawResponse: shorten(JSON.stringify(body)),
  });
}

/** A list that is null or left out is empty where what is around it shows that the answer has the described form. */
function listIn(body: Json, { records, absentWhenEmpty, keyed, ...rules }: ObjectPlan): Json | undefined {
  const path = records === undefined ? "" : fillPath(records, rules);
  const list = path.includes("*") ? joinLists(body, path) : getMember(body, path);
  if (keyed && list !== undefined && isJsonObject(list)) return parseMembers(list, keyed);
  if (list === null && path !== "") return [];
  if (list !== undefined) return list;
  const [okPath, okValue] = rules.okWhen?.split("=") ?? [];
  if (okPath !== undefined && getTextAt(body, okPath) !== okValue) return undefined;
  const [outer = ""] = path.split(".*.");
  const around = getMember(body, outer.slice(0, Math.max(0, outer.lastIndexOf("."))));
  if (around === undefined || !isJsonObject(around)) return undefined;
  return absentWhenEmpty || listPathsBesideList(rules).some((member) => getMember(body, member) !== undefined)
    ? []
    : undefined;
}

/** Paths of what an answer has beside its list. */
function listPathsBesideList({ paging = {}, total }: Pick<ObjectPlan, "paging" | "total">): string[] {
  const { cursor, nextUrl, page, offset, keyset } = paging;
  const counted = [cursor, page, offset, keyset].flatMap((rules) => [rules?.more, rules?.last]);
  return [total, cursor?.from, nextUrl?.from, page?.pages, ...counted].filter((path) => path !== undefined);
}

const parseMembers = (list: JsonObject, { name, type }: NonNullable<ObjectPlan["keyed"]>): JsonObject[] =>
  Object.entries(list).map(([key, value]) =>
    isJsonObject(value) ? nestValue(name, key, value) : nestValue(type, value, nestValue(name, key)),
  );
