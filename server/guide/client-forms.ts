/** Translates a block of `curl` commands to TypeScript and Python with the published clients, so that the guide has it once. */
import { CLOSE, OPEN, parseCommands, type SentRequest, type Statement } from "./parse-commands.ts";

/** What of a description in OpenAPI is needed to name the method that calls an operation. */
interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
  operationId?: string;
  parameters?: { name: string; in: string; schema?: { type?: string } }[];
  responses?: Record<string, { content?: Record<string, { schema?: { anyOf?: unknown } }> }>;
  requestBody?: { content: Record<string, { schema?: { $ref?: string } }> };
}

interface Argument {
  name: string;
  in: "path" | "query" | "header" | "body";
  value: unknown;
}
interface Call {
  operationId: string;
  /** Name of the schema of the body. */
  body: string;
  /** Whether what is answered depends on the request. */
  hasManyAnswers: boolean;
  args: Argument[];
}
/** Text with brackets around parts, each of which stands on a line of its own where one line is too short. */
type Printed = string | { open: string; items: Printed[]; close: string };

const WIDTH = 100;
/** In programs that are shown; nothing is read here. */
const ENVIRONMENT = ["process", "env"].join(".");
const PROJECT = "projectIdOrName";
const API = `${OPEN}API${CLOSE}`;
const VARIABLE = new RegExp(`${OPEN}(\\w+)${CLOSE}`, "g");

/**
 * Says one block of commands, or returns undefined where the block does anything else than call the API. `known` are the variables that
 * blocks before it on the page have set; those of this block are added.
 */
export type ClientForms = (
  block: string,
  known: Set<string>,
) => { typescript: string; python: string } | undefined;

/** Returns a function that says blocks of commands by the operations of this description. */
export function openClientForms(description: Description): ClientForms {
  const operations = listOperations(description);
  return (block, known) => {
    const statements = parseCommands(block);
    const requests = statements?.flatMap((each) => (each.kind === "request" ? [each.request] : [])) ?? [];
    if (!statements || !requests.some(({ url }) => url.startsWith(API) || url.includes("127.0.0.1:4001")))
      return undefined;
    const calls = new Map(requests.map((request) => [request, findCall(request, operations)]));
    if (requests.some((request) => request.url.startsWith(API) && !calls.get(request))) return undefined;
    const write = (language: Language): string => {
      const names = new Set(known);
      const lines = statements.map((each) => language.statement(each, calls, names));
      return (
        language.head(requests.some((each) => !calls.get(each))) +
        lines
          .join("\n")
          .replaceAll(/\n{3,}/g, "\n\n")
          .trim()
      );
    };
    const forms = { typescript: write(TYPESCRIPT), python: write(PYTHON) };
    for (const each of statements) if ("name" in each && each.name) known.add(each.name);
    return forms;
  };
}

/** Returns the name of a method of the TypeScript client: `listJWTKeys` is `listJwtKeys`. */
export const toTypescriptName = (name: string): string =>
  name.replaceAll(
    /([A-Z])([A-Z]+)(?=[A-Z][a-z])/g,
    (_, first: string, rest: string) => first + rest.toLowerCase(),
  );

/** Returns the name of a method of the Python client: `listJWTKeys` is `list_jwt_keys`. An abbreviation is one word. */
export const toPythonName = (name: string): string =>
  (name.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? []).join("_").toLowerCase();

interface KnownOperation extends DescribedOperation {
  method: string;
  pattern: RegExp;
  names: string[];
  literalLength: number;
}

function listOperations({ paths }: Description): KnownOperation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): KnownOperation => {
      const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
      return {
        ...operation,
        method: method.toUpperCase(),
        pattern: new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, "([^/]+?)")}$`),
        names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
        literalLength: path.replaceAll(/\{\w+\}/g, "").length,
      };
    }),
  );
  return operations.toSorted((one, other) => other.literalLength - one.literalLength);
}

function findCall(
  { method, url, headers, body }: SentRequest,
  operations: KnownOperation[],
): Call | undefined {
  if (!url.startsWith(API)) return undefined;
  const [path = "", query = ""] = url.slice(API.length).split("?", 2);
  const found = operations.find((each) => each.method === method && each.pattern.test(path));
  if (found?.operationId === undefined) return undefined;
  const { operationId, names, pattern, parameters = [], requestBody, responses = {} } = found;
  const values = pattern.exec(path)?.slice(1) ?? [];
  const args: Argument[] = names.map((name, index) => ({ name, in: "path", value: values[index] ?? "" }));
  for (const [name, value] of new URLSearchParams(query)) {
    const described = parameters.find((each) => each.in === "query" && each.name === name);
    if (!described) return undefined;
    const isText = described.schema?.type === "string" || !/^(true|false|\d+)$/.test(value);
    args.push({ name, in: "query", value: isText ? value : JSON.parse(value) });
  }
  for (const [name, value] of headers) {
    if (/^content-type$/i.test(name) || (/^x-api-key$/i.test(name) && value === `${OPEN}KEY${CLOSE}`))
      continue;
    if (!parameters.some((each) => each.in === "header" && each.name === name)) return undefined;
    args.push({ name, in: "header", value });
  }
  const reference = Object.values(requestBody?.content ?? {})[0]?.schema?.$ref;
  if (body !== undefined) {
    if (reference === undefined) return undefined;
    args.push({ name: "", in: "body", value: JSON.parse(body) });
  }
  const isNamed = (each: Argument) => each.name !== PROJECT || each.value !== "default";
  const hasManyAnswers = Object.entries(responses).some(
    ([status, { content = {} }]) =>
      status.startsWith("2") && Object.values(content).some(({ schema }) => schema?.anyOf),
  );
  return {
    operationId,
    hasManyAnswers,
    body: reference?.split("/").at(-1) ?? "",
    args: args.filter(isNamed),
  };
}

interface Language {
  head(sendsRequests: boolean): string;
  statement(statement: Statement, calls: Map<SentRequest, Call | undefined>, names: Set<string>): string;
}

const TYPESCRIPT: Language = {
  head: () => "",
  statement(statement, calls, names) {
    if (statement.kind === "blank") return "";
    if (statement.kind === "comment") return `// ${statement.text}`;
    const name = statement.name === undefined ? undefined : toTypescriptVariable(statement.name);
    if (statement.kind === "pick") {
      names.add(statement.name);
      return `const ${name} = ${toTypescriptVariable(statement.from)}${statement.path};`;
    }
    const { request, path, comment } = statement;
    const call = calls.get(request);
    const { open, items, close } = call
      ? writeTypescriptCall(call, names)
      : writeTypescriptFetch(request, names);
    const [before, after] = writeTypescriptPath(path, call?.hasManyAnswers ?? false);
    const given = name === undefined ? ["console.log(", ");"] : [`const ${name} = `, ";"];
    if (statement.name) names.add(statement.name);
    const note = comment === undefined ? "" : `// ${comment}\n`;
    return (
      note + print({ open: given[0] + before + open, items, close: close + after + given[1] }, "", "  ", " ")
    );
  },
};

/** Returns what stands around an answer to take a part of it: where it may be of several types, its type is named. */
function writeTypescriptPath(path: string, hasManyTypes: boolean): [before: string, after: string] {
  if (path === "") return ["", ""];
  const steps = path.replaceAll("]", "]!").replaceAll(/(?<=\w)\./g, "?.");
  if (!hasManyTypes) return ["(", `)${steps}`];
  return ["((", `) as { ${path.slice(1)}: string })${steps}`];
}

function writeTypescriptCall({ operationId, body, args }: Call, names: Set<string>) {
  const key = (each: Argument) =>
    each.in === "body" ? lowerFirst(toTypescriptName(body)) : toTypescriptKey(each.name);
  const items = args.map((each) => addPrefix(`${key(each)}: `, writeTypescriptValue(each.value, names)));
  const method = `await busbar.${toTypescriptName(operationId)}(`;
  return { open: items.length > 0 ? `${method}{` : method, items, close: items.length > 0 ? "})" : ")" };
}

function writeTypescriptFetch({ method, url, headers, body }: SentRequest, names: Set<string>) {
  const given: [string, Printed][] = [];
  if (method !== (body === undefined ? "GET" : "")) given.push(["method", JSON.stringify(method)]);
  if (headers.length > 0) given.push(["headers", writeTypescriptValue(Object.fromEntries(headers), names)]);
  if (body !== undefined) {
    const value = writeTypescriptValue(JSON.parse(body), names);
    given.push([
      "body",
      typeof value === "string"
        ? value
        : { ...value, open: `JSON.stringify(${value.open}`, close: `${value.close})` },
    ]);
  }
  const items = given.map(([name, value]) => addPrefix(`${name}: `, value));
  const address = print(writeTypescriptValue(url, names), "", "", "");
  const close = ").then((response) => response.json())";
  if (items.length === 0) return { open: `await fetch(${address}`, items, close };
  return { open: `await fetch(${address}, {`, items, close: `}${close}` };
}

const toTypescriptKey = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
const toTypescriptVariable = (name: string): string =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const lowerFirst = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);

function writeTypescriptValue(value: unknown, names: Set<string>): Printed {
  const reference = (name: string) =>
    names.has(name) ? toTypescriptVariable(name) : `${ENVIRONMENT}.${toEnvironmentName(name)} ?? ""`;
  if (typeof value === "string") {
    const whole = findWholeVariable(value);
    if (whole !== undefined) return reference(whole);
    if (!value.includes(OPEN)) return JSON.stringify(value);
    return `\`${value.replaceAll(/[`\\]/g, String.raw`\$&`).replaceAll(VARIABLE, (_, name: string) => `\${${reference(name)}}`)}\``;
  }
  const key = (name: string) => `${toTypescriptKey(name)}: `;
  return (
    printCompound(value, (each) => writeTypescriptValue(each, names), key, ["{", "}"]) ??
    JSON.stringify(value)
  );
}

/** The keywords that are names of parameters in the API. */
const PYTHON_KEYWORDS = new Set(["for", "from", "in", "class", "global"]);

const PYTHON: Language = {
  head: (sendsRequests) => (sendsRequests ? "import httpx\n\n" : ""),
  statement(statement, calls, names) {
    if (statement.kind === "blank") return "";
    if (statement.kind === "comment") return `# ${statement.text}`;
    const name = statement.name?.toLowerCase();
    const path = statement.path.replaceAll(/\.(\w+)/g, '["$1"]');
    if (statement.kind === "pick") {
      names.add(statement.name);
      return `${name} = ${statement.from.toLowerCase()}${path}`;
    }
    const { request, comment } = statement;
    const call = calls.get(request);
    const { open, items, close } = call ? writePythonCall(call, names) : writePythonRequest(request, names);
    const before = name === undefined ? `print(${open}` : `${name} = ${open}`;
    const after = `${close}${path}${name === undefined ? ")" : ""}`;
    if (statement.name) names.add(statement.name);
    const note = comment === undefined ? "" : `# ${comment}\n`;
    return note + print({ open: before, items, close: after }, "", "    ", "");
  },
};

function writePythonCall({ operationId, args }: Call, names: Set<string>) {
  const order = (each: Argument) =>
    each.name === PROJECT ? 2 : { path: 0, body: 1, query: 2, header: 2 }[each.in];
  const items = args
    .toSorted((one, other) => order(one) - order(other))
    .map((each) => {
      const value = writePythonValue(each.value, names);
      if (order(each) < 2) return value;
      const name = each.name === PROJECT ? "project" : toPythonName(each.name);
      return addPrefix(`${PYTHON_KEYWORDS.has(name) ? `${name}_` : name}=`, value);
    });
  return { open: `busbar.${toPythonName(operationId)}(`, items, close: ")" };
}

function writePythonRequest({ method, url, headers, body }: SentRequest, names: Set<string>) {
  const items = [writePythonValue(url, names)];
  if (headers.length > 0)
    items.push(addPrefix("headers=", writePythonValue(Object.fromEntries(headers), names)));
  if (body !== undefined) items.push(addPrefix("json=", writePythonValue(JSON.parse(body), names)));
  return { open: `httpx.${method.toLowerCase()}(`, items, close: ").json()" };
}

function writePythonValue(value: unknown, names: Set<string>): Printed {
  const reference = (name: string) =>
    names.has(name) ? name.toLowerCase() : `os.environ["${toEnvironmentName(name)}"]`;
  if (typeof value === "string") {
    const whole = findWholeVariable(value);
    if (whole !== undefined) return reference(whole);
    const text = JSON.stringify(value);
    return value.includes(OPEN)
      ? `f${text.replaceAll(/[{}]/g, "$&$&").replaceAll(VARIABLE, (_, name: string) => `{${reference(name).replaceAll('"', "'")}}`)}`
      : text;
  }
  const plain =
    value === null ? "None" : value === true ? "True" : value === false ? "False" : JSON.stringify(value);
  const key = (name: string) => `${JSON.stringify(name)}: `;
  return printCompound(value, (each) => writePythonValue(each, names), key, ["{", "}"]) ?? plain;
}

/** The clients' programs take from the environment what no block before has made. */
const toEnvironmentName = (name: string): string => (name === "KEY" ? "BUSBAR_API_KEY" : name);

const findWholeVariable = (text: string): string | undefined =>
  new RegExp(`^${VARIABLE.source}$`).exec(text)?.[1];

function printCompound(
  value: unknown,
  each: (value: unknown) => Printed,
  key: (name: string) => string,
  [open, close]: [string, string],
): Printed | undefined {
  if (Array.isArray(value)) return { open: "[", items: value.map(each), close: "]" };
  if (typeof value !== "object" || value === null) return undefined;
  return {
    open,
    items: Object.entries(value).map(([name, member]) => addPrefix(key(name), each(member))),
    close,
  };
}

const addPrefix = (prefix: string, printed: Printed): Printed =>
  typeof printed === "string" ? prefix + printed : { ...printed, open: prefix + printed.open };

/** Returns the text on one line if it fits, otherwise with each part on lines of its own. `pad` is what stands inside of braces. */
function print(printed: Printed, indent: string, step: string, pad: string): string {
  if (typeof printed === "string") return printed;
  const flat = printFlat(printed, pad);
  if (indent.length + flat.length < WIDTH || printed.items.length === 0) return flat;
  const lines = printed.items.map((item) => `${indent}${step}${print(item, indent + step, step, pad)},\n`);
  return `${printed.open}\n${lines.join("")}${indent}${printed.close}`;
}

function printFlat(printed: Printed, pad: string): string {
  if (typeof printed === "string") return printed;
  const { open, items, close } = printed;
  const inner = open.endsWith("{") && items.length > 0 ? pad : "";
  return open + inner + items.map((item) => printFlat(item, pad)).join(", ") + inner + close;
}
