/** Answers GraphQL documents. The executor is passed to the vendor, because most vendors need none. */
import type { Facts } from "../../connector-kit/facts/facts.ts";
import type { Json, JsonObject } from "../../ground/json.ts";
import { buildRefusal, type VendorAnswer } from "./vendor-answer.ts";
import type { VendorRequest } from "./vendor-request.ts";
import { findFieldRoute, findListsBelow, type Route } from "./vendor-routes.ts";

/** Vendor's answer to a field: its value, or why it is refused. Undefined if no fact is about the field. */
type FieldAnswer = VendorAnswer | string | { missing: string } | undefined;

export interface CarriedOut {
  data?: Json;
  /** Reason why the document is refused. */
  fault?: string;
  /** Whether it is refused before it is executed: for syntax, names or types. */
  isInvalid?: boolean;
  /** Whether it is refused because there is no such record. */
  isMissing?: boolean;
  /** Deprecated parts of the schema that it uses. */
  deprecated: string[];
}

export type GraphqlSide = (
  request: VendorRequest,
  callField: (path: string, args: JsonObject, source: JsonObject) => FieldAnswer,
) => CarriedOut;

/** Member of a root field's value that names the object whose list is below it. */
const HOLDER = "$object";

/** Answers a document. `answerRoute` answers one root field, whose arguments are the body. */
export function answerDocument(
  { facts, carryOut }: { facts: Facts; carryOut: GraphqlSide },
  request: VendorRequest,
  answerRoute: (route: Route, request: VendorRequest) => FieldAnswer,
): VendorAnswer & Pick<CarriedOut, "fault" | "deprecated"> {
  const wrong = Object.entries(facts.graphql?.headers ?? {}).find(
    ([name, value]) => request.headers[name.toLowerCase()] !== value,
  );
  if (wrong) {
    const version = `the header ${wrong[0]} is ${request.headers[wrong[0].toLowerCase()]}; the schema is that of ${wrong[1]}`;
    return { ...buildRefusal(facts, 400, version), fault: version, deprecated: [] };
  }
  let last: Route | undefined;
  const { data, fault, isInvalid, isMissing, deprecated } = carryOut(request, (field, args, source) => {
    const call = { ...request, body: args };
    const holders = findListsBelow(facts, field, call).map((name) => ({
      ...(facts.objects[name]?.list?.envelope as JsonObject | undefined),
      id: name,
      [HOLDER]: name,
    }));
    if (holders.length > 0) return { status: 200, headers: {}, body: holders };
    const route = findFieldRoute(facts, field, call);
    if (!route || (field.includes(".") && source[HOLDER] !== route.objectName)) return undefined;
    last = route;
    return answerRoute(route, call);
  });
  if (fault === undefined) return { status: 200, headers: {}, body: { data: data ?? null }, deprecated };
  const answer = buildRefusal(facts, isInvalid ? 400 : 200, fault);
  const missing = isMissing && last && "missing" in last.fact ? last.fact.missing : undefined;
  return { ...answer, ...(missing !== undefined && { body: missing as Json }), fault, deprecated };
}
