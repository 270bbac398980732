/** Members that a simulated vendor shows only where a request asks for them, and records within the members of an answer. */
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { ListFact, RecordFact } from "../../connector-kit/facts/facts.ts";
import type { VendorAnswer } from "./vendor-answer.ts";
import { hasParameters } from "./vendor-checks.ts";
import { dropAt, setAtPath, isTextless } from "./vendor-records.ts";
import type { VendorRequest } from "./vendor-request.ts";

/** Puts the records that only lists within the answer have there: each in an entry of its own, behind one that has none. */
export function putWithin(
  answer: VendorAnswer,
  { hidden = [] }: Pick<ListFact, "hidden">,
  shownOnes: (index: number) => JsonObject[],
): VendorAnswer {
  for (const [index, { within }] of hidden.entries()) {
    if (within === undefined || answer.body === undefined || !isJsonObject(answer.body)) continue;
    const [outer = "", inner = ""] = within.split(".*.");
    const entries = [[], ...shownOnes(index).map((record) => [record])].map((records) => {
      const entry: JsonObject = {};
      setAtPath(entry, inner, records);
      return entry;
    });
    setAtPath(answer.body, outer, entries);
  }
  return answer;
}

/** Takes the members that the request does not ask for, and those that no list has, out of a record, and puts the others in. */
export function showOnRequest(
  shown: JsonObject,
  fact: Pick<ListFact | RecordFact, "onRequest" | "query" | "body"> & Pick<ListFact, "onlySingle">,
  request: VendorRequest,
): JsonObject {
  for (const path of fact.onlySingle?.fields ?? []) dropAt(shown, path);
  for (const [parameter, path] of Object.entries(fact.onRequest ?? {})) {
    if (!hasParameters(fact, request, parameter)) dropAt(shown, path);
    else if (isTextless(shown, path)) setAtPath(shown, path, "on request");
  }
  return shown;
}
