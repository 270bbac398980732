/**
 * Salesforce's Metadata API by published implementations of SOAP: `soap` answers as the service's WSDL says, and libxml2
 * holds each request to the WSDL's types. The types are those that jsforce generated from Salesforce's WSDL.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { ApiSchemas } from "jsforce/lib/api/metadata/schema.js";
import { listen } from "soap";
import { validateXML } from "xmllint-wasm";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import type { FieldDefinition, FieldRequest } from "../../connector-kit/fields.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { readComponents, upsertComponents } from "../../connectors/salesforce/soap.ts";
import { upsertCustomFields } from "../../connectors/salesforce/upsert-custom-fields.ts";
import { buildElement } from "../../connectors/salesforce/xml.ts";

const SPACE = "http://soap.sforce.com/2006/04/metadata";
const PATH = "/services/Soap/m/60.0";
const TOKEN = "00D5e!a.token";

type Components = Record<string, unknown>[];
interface Call {
  name: "readMetadata" | "upsertMetadata";
  args: { type?: string; fullNames?: string[]; metadata?: Components };
  headers: { SessionHeader?: { sessionId?: string }; AllOrNoneHeader?: { allOrNone?: boolean } };
}

let server: Server;
const calls: Call[] = [];
/** Answers a call. What it throws is a fault. */
let answer: (call: Call) => object;

before(async () => {
  server = createServer((_, response) => response.writeHead(404).end());
  const operation =
    (name: Call["name"]) =>
    (args: Call["args"], done: unknown, headers: Call["headers"]): object => {
      const call = { name, args, headers };
      calls.push(call);
      if (headers?.SessionHeader?.sessionId !== TOKEN)
        throw fault("sf:INVALID_SESSION_ID", "INVALID_SESSION_ID: Invalid Session ID found in SessionHeader");
      return answer(call);
    };
  const Metadata = { readMetadata: operation("readMetadata"), upsertMetadata: operation("upsertMetadata") };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  listen(server, { path: PATH, services: { MetadataService: { Metadata } }, xml: wsdl() });
});
after(() => void server.close());
beforeEach(() => void calls.splice(0));

const fault = (faultcode: string, faultstring: string) => ({
  Fault: { faultcode, faultstring, statusCode: 500 },
});

/** Sends requests for the Metadata API there, checked against the types; what REST is asked for is always there. */
const fetchWith =
  (token: string): ProviderFetch =>
  async ({ path, headers, body, tokenMark }) => {
    if (path !== PATH) return restAnswer(path);
    const text = String(body).replace(tokenMark ?? "", token);
    const { valid, errors } = await validateXML({
      xml: [{ fileName: "request.xml", contents: text }],
      schema: [envelopeSchema()],
      preload: [{ fileName: "metadata.xsd", contents: schema() }],
    });
    assert.ok(valid, errors.map(({ message }) => message).join("\n"));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body: text });
    return { status: response.status, headers: {}, text: await response.text() };
  };

function restAnswer(path: string) {
  const body = path.endsWith("userinfo")
    ? { user_id: "005" }
    : path.includes("/query")
      ? { records: [{ Id: "0PS" }], done: true }
      : { id: "0Pa", success: true };
  return { status: 200, headers: {}, text: JSON.stringify(body) };
}

const define = (definition: Partial<FieldDefinition>): FieldRequest => ({
  objectName: "Account",
  definition: { fieldName: "Score", displayName: "Score & <more>", valueType: "string", ...definition },
});
const DEFINITIONS: Partial<FieldDefinition>[] = [
  { stringOptions: { length: 80, defaultValue: `a "b" & 'c'` }, unique: true, description: "é \u{1F600}" },
  { stringOptions: { length: 3000 } },
  { valueType: "int", numericOptions: { defaultValue: 7 } },
  { valueType: "float", numericOptions: { precision: 10, scale: 3 } },
  { valueType: "boolean" },
  { valueType: "date", stringOptions: { defaultValue: "2026-01-05" } },
  { valueType: "datetime" },
  { valueType: "singleSelect", stringOptions: { values: ["a&b", "c"], defaultValue: "c" } },
  { valueType: "multiSelect", stringOptions: { values: ["a", "b"], valuesRestricted: true } },
  {
    valueType: "reference",
    association: { associationType: "lookup", targetObject: "Contact", onDelete: "setNull" },
  },
];
const done = ({ args }: Call, created = true) => ({
  result: (args.metadata ?? []).map(({ fullName }) => ({ created, fullName, success: true })),
});
/** Attributes of XML Schema in an answer, as `soap` writes them. */
const attributed = (name: "type" | "nil", value: string) => ({
  attributes: { [`xsi:${name}`]: value, "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance" },
});

test("fields of every kind are sent in the order and with the types of Salesforce's WSDL", async () => {
  answer = (call) => (call.name === "readMetadata" ? { result: {} } : done(call));
  const requests = DEFINITIONS.map((definition, index) => define({ ...definition, fieldName: `F${index}` }));
  const outcomes = await upsertCustomFields(requests, fetchWith(TOKEN));
  for (const [index, { action, error }] of outcomes.entries())
    assert.deepEqual([action, error], ["create", undefined], JSON.stringify(DEFINITIONS[index]));
  const sent = calls.find(({ name }) => name === "upsertMetadata");
  assert.equal(String(sent?.headers.AllOrNoneHeader?.allOrNone), "false");
  const [first] = sent?.args.metadata ?? [];
  assert.deepEqual(
    [first?.["label"], first?.["defaultValue"], first?.["description"]],
    ["Score & <more>", String.raw`"a \"b\" & 'c'"`, "é \u{1F600}"],
  );
  const granted = calls.map(({ args }) => args.metadata?.[0]?.["fieldPermissions"]).find(Array.isArray);
  assert.equal(granted?.length, DEFINITIONS.length);
});

test("a definition that is there is read, and sent back with what it has and what is new", async () => {
  const present = {
    ...attributed("type", "tns:CustomField"),
    fullName: "Account.Score__c",
    inlineHelpText: "Ask Bob & Ada",
    label: "Score",
    type: "Picklist",
    valueSet: {
      restricted: true,
      valueSetDefinition: { sorted: true, value: [{ fullName: "Gold", default: true, label: "Gold!" }] },
    },
  };
  answer = (call) =>
    call.name === "upsertMetadata"
      ? done(call, false)
      : { result: call.args.type === "CustomField" ? { records: [present] } : {} };
  const wanted = define({ valueType: "singleSelect", stringOptions: { values: ["Gold", "Silver"] } });
  const [outcome] = await upsertCustomFields([wanted], fetchWith(TOKEN));
  assert.deepEqual([outcome?.action, outcome?.error], ["update", undefined]);
  const sent = calls.find(({ name }) => name === "upsertMetadata")?.args.metadata?.[0];
  assert.equal(sent?.["inlineHelpText"], "Ask Bob & Ada");
  assert.deepEqual(sent?.["valueSet"], {
    restricted: true,
    valueSetDefinition: {
      sorted: true,
      value: [
        { fullName: "Gold", default: true, label: "Gold!" },
        { fullName: "Silver", default: false, label: "Silver" },
      ],
    },
  });
});

test("a component that is not there is none, and a refused one gives its reason", async () => {
  answer = () => ({ result: { records: [attributed("nil", "true")] } });
  const read = await readComponents("PermissionSet", ["Nobody"], fetchWith(TOKEN));
  assert.deepEqual(read, { results: [] });
  answer = () => ({
    result: [
      {
        created: false,
        errors: [
          { fields: "length", message: "Must specify 'length'", statusCode: "FIELD_INTEGRITY_EXCEPTION" },
        ],
        fullName: "Account.Score__c",
        success: false,
      },
    ],
  });
  const field = buildElement("metadata", [buildElement("fullName", "Account.Score__c")]);
  const written = await upsertComponents("CustomField", [field], fetchWith(TOKEN));
  assert.ok(!written.error);
  assert.deepEqual(
    written.results.map(({ children }) => children.map(({ name }) => name)),
    [["created", "errors", "fullName", "success"]],
  );
});

test("a fault is what Salesforce means by it: an ended session, a limit, a mistake", async () => {
  const kind = async (token: string) => {
    try {
      const { error } = await readComponents("CustomField", ["Account.A__c"], fetchWith(token));
      return error?.kind;
    } catch (error) {
      assert.ok(error instanceof ProviderError);
      return error.kind;
    }
  };
  assert.equal(await kind("another"), "unauthorized");
  const refuse = (code: string) => {
    answer = () => {
      throw fault(`sf:${code}`, `${code}: no`);
    };
  };
  refuse("REQUEST_LIMIT_EXCEEDED");
  assert.equal(await kind(TOKEN), "rate_limited");
  refuse("INVALID_TYPE");
  assert.equal(await kind(TOKEN), "invalid");
});

type Schema = {
  props: Record<string, string | readonly (string | Record<string, unknown>)[]>;
  extends?: string;
};
const SCHEMAS: Record<string, Schema | undefined> = ApiSchemas;
const PLAIN: Record<string, string> = { string: "xsd:string", boolean: "xsd:boolean", number: "xsd:int" };

/** Returns the names of the types that these consist of. */
function listTypes(names: string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const type = SCHEMAS[name];
    if (!type || found.has(name)) continue;
    found.add(name);
    const members = Object.values(type.props).map((member) => String(member).replace("?", ""));
    listTypes([...members, type.extends ?? ""], found);
  }
  return found;
}

const writeMember = ([name, type]: [string, Schema["props"][string]]): string => {
  const plain = String(type).replace("?", "");
  const many = Array.isArray(type) ? ' minOccurs="0" maxOccurs="unbounded" nillable="true"' : "";
  const optional = String(type).startsWith("?") ? ' minOccurs="0"' : "";
  return `<xsd:element name="${name}" type="${PLAIN[plain] ?? `tns:${plain}`}"${many}${optional}/>`;
};

function writeType(name: string): string {
  const type = SCHEMAS[name];
  const members = `<xsd:sequence>${Object.entries(type?.props ?? {})
    .map(writeMember)
    .join("")}</xsd:sequence>`;
  const content = type?.extends
    ? `<xsd:complexContent><xsd:extension base="tns:${type.extends}">${members}</xsd:extension></xsd:complexContent>`
    : members;
  return `<xsd:complexType name="${name}">${content}</xsd:complexType>`;
}

const writeElement = (name: string, members: string): string =>
  `<xsd:element name="${name}"><xsd:complexType><xsd:sequence>${members}</xsd:sequence></xsd:complexType></xsd:element>`;

/** The types, and the elements of the two operations, as Salesforce's WSDL of the Metadata API has them. */
const schema = (): string =>
  `<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:tns="${SPACE}" elementFormDefault="qualified" targetNamespace="${SPACE}">${[
    ...[...listTypes(["CustomField", "PermissionSet", "UpsertResult", "ReadResult"])].map(writeType),
    writeElement("SessionHeader", writeMember(["sessionId", "string"])),
    writeElement("AllOrNoneHeader", writeMember(["allOrNone", "boolean"])),
    writeElement("readMetadata", writeMember(["type", "string"]) + writeMember(["fullNames", ["string"]])),
    writeElement("readMetadataResponse", writeMember(["result", "ReadResult"])),
    writeElement("upsertMetadata", writeMember(["metadata", ["Metadata"]])),
    writeElement("upsertMetadataResponse", writeMember(["result", ["UpsertResult"]])),
  ].join("")}</xsd:schema>`;

/** SOAP 1.1, section 4: one header at most, and one body. */
const envelopeSchema = (): string =>
  `<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:met="${SPACE}" elementFormDefault="qualified" targetNamespace="http://schemas.xmlsoap.org/soap/envelope/"><xsd:import namespace="${SPACE}" schemaLocation="metadata.xsd"/>${writeElement(
    "Envelope",
    `<xsd:element name="Header"><xsd:complexType><xsd:all><xsd:element ref="met:SessionHeader"/><xsd:element ref="met:AllOrNoneHeader" minOccurs="0"/></xsd:all></xsd:complexType></xsd:element><xsd:element name="Body"><xsd:complexType><xsd:choice><xsd:element ref="met:readMetadata"/><xsd:element ref="met:upsertMetadata"/></xsd:choice></xsd:complexType></xsd:element>`,
  )}</xsd:schema>`;

function wsdl(): string {
  const names = ["readMetadata", "upsertMetadata"];
  const message = (name: string) =>
    `<message name="${name}"><part element="tns:${name}" name="parameters"/></message>`;
  const port = (name: string) =>
    `<operation name="${name}"><input message="tns:${name}"/><output message="tns:${name}Response"/></operation>`;
  const bound = (name: string) =>
    `<operation name="${name}"><soap:operation soapAction=""/><input><soap:body parts="parameters" use="literal"/></input><output><soap:body use="literal"/></output></operation>`;
  return `<?xml version="1.0" encoding="UTF-8"?><definitions targetNamespace="${SPACE}" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:tns="${SPACE}" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><types>${schema()}</types>${names
    .flatMap((name) => [message(name), message(`${name}Response`)])
    .join(
      "",
    )}<portType name="MetadataPortType">${names.map(port).join("")}</portType><binding name="MetadataBinding" type="tns:MetadataPortType"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>${names.map(bound).join("")}</binding><service name="MetadataService"><port binding="tns:MetadataBinding" name="Metadata"><soap:address location="http://localhost${PATH}"/></port></service></definitions>`;
}
