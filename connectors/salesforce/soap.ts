/** Calls Salesforce's Metadata API, which uses SOAP and takes the access token in the body. */
import { shorten } from "../../ground/storable-text.ts";
import { concernsEveryRecord } from "../../connector-kit/calls/send-request.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { classify } from "./classify.ts";
import {
  findChildElement,
  listChildElements,
  getChildText,
  buildElement,
  readXml,
  writeXml,
  XmlError,
  type Element,
} from "./xml.ts";

/** Limit of components per call. */
export const COMPONENT_LIMIT = 10;

/** Marks the place of the token. It is markup, which escaped text cannot contain. */
const TOKEN_MARK = "<the-access-token/>";

type ComponentType = "CustomField" | "PermissionSet";

type SoapAnswer = { results: Element[]; error?: undefined } | { error: ProviderError };

/** Reads the components of these names; results do not contain those that do not exist. */
export async function readComponents(
  type: ComponentType,
  fullNames: string[],
  fetch: ProviderFetch,
): Promise<SoapAnswer> {
  const names = fullNames.map((name) => buildElement("fullNames", name));
  const answer = await call(buildElement("readMetadata", [buildElement("type", type), ...names]), fetch);
  if (answer.error) return answer;
  const records = answer.results.flatMap((result) => listChildElements(result, "records"));
  return { results: records.filter(({ attributes }) => attributes.get("nil") !== "true") };
}

/** Creates or replaces components, each on its own: a refused one does not affect others. One result per component. */
export const upsertComponents = (
  type: ComponentType,
  components: Element[],
  fetch: ProviderFetch,
): Promise<SoapAnswer> =>
  call(
    buildElement(
      "upsertMetadata",
      components.map((component) => ({
        ...sortMembers(component),
        name: "metadata",
        attributes: buildTypeAttribute(type),
      })),
    ),
    fetch,
  );

const buildTypeAttribute = (type: ComponentType) => new Map([["xsi:type", type]]);

/** Sorts members as the API's schema requires: the name, then alphabetically. */
function sortMembers(component: Element): Element {
  const rank = ({ name }: Element) => (name === "fullName" ? "" : name);
  const children = component.children.map(sortMembers);
  return {
    ...component,
    attributes: new Map(),
    children: children.toSorted((left, right) =>
      rank(left) < rank(right) ? -1 : Number(rank(left) > rank(right)),
    ),
  };
}

/** Throws `ProviderError` when the call as a whole failed. */
async function call(operation: Element, fetch: ProviderFetch): Promise<SoapAnswer> {
  const response = await fetch(buildSoapRequest(operation));
  const error = classify(response);
  if (error && concernsEveryRecord(error.kind)) throw error;
  if (error) return { error };
  try {
    const body = findChildElement(readXml(response.text), "Body");
    const answer = findChildElement(body, `${operation.name}Response`);
    if (answer) return { results: listChildElements(answer, "result") };
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
  }
  throw new ProviderError({
    kind: "unreadable",
    message: `Salesforce answered ${response.status} with something that is not an answer to ${operation.name}`,
    status: response.status,
    rawResponse: shorten(response.text),
  });
}

/** Every call is repeatable: an upsert describes the final state of a component. */
function buildSoapRequest(operation: Element): ProviderRequest {
  const space = "http://soap.sforce.com/2006/04/metadata";
  const body = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"',
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    `<soapenv:Header xmlns="${space}">`,
    `<SessionHeader><sessionId>${TOKEN_MARK}</sessionId></SessionHeader>`,
    "<AllOrNoneHeader><allOrNone>false</allOrNone></AllOrNoneHeader>",
    "</soapenv:Header>",
    `<soapenv:Body xmlns="${space}">${writeXml(operation)}</soapenv:Body>`,
    "</soapenv:Envelope>",
  ].join("");
  return {
    method: "POST",
    path: "/services/Soap/m/60.0",
    // SOAP 1.1, 6.1.1: required, a URI in quotation marks; Salesforce's WSDL names the empty one.
    headers: { "content-type": "text/xml; charset=utf-8", accept: "text/xml", soapaction: '""' },
    body,
    tokenMark: TOKEN_MARK,
    repeatable: true,
  };
}

/** Returns why Salesforce refused a component, from its result. */
export function readComponentFaults(result: Element): { code: string; message: string }[] {
  return listChildElements(result, "errors").map((error) => ({
    code: getChildText(error, "statusCode") ?? "UNKNOWN",
    message: getChildText(error, "message") ?? "Salesforce gave no reason",
  }));
}
