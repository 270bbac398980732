/** Makes the calls of the steps and prints requests and answers. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Json, isJsonObject } from "../ground/json.ts";
import type { Printer } from "./printer.ts";
import type { Demo } from "./start-demo.ts";
import {
  getMember,
  StepFailure,
  type Answer,
  type CallOptions,
  type CrmRecord,
  type Remembered,
  type Tour,
} from "./step.ts";

/** The caller can read `remembered` after the tour. */
export function openGuide(demo: Demo, printer: Printer, remembered: Map<Remembered, string>): Tour {
  const { urls, bootstrap, sandboxUrl, receiver } = demo;
  // Each run has its own customer, so that runs do not conflict.
  const groupRef = `northwind-${randomBytes(3).toString("hex")}`;
  const key = { "x-api-key": bootstrap.apiKey };
  const call = async (request: Outgoing): Promise<Answer> => {
    const { method, url, headers, body, sent, shows } = request;
    const { pathname, search } = new URL(url);
    const shownHeaders = Object.entries(headers).flatMap(([name, value]) =>
      SHOWN_HEADERS.has(name) ? `   ${name}: ${value}` : [],
    );
    printer.sent(`${method} ${pathname}${search}${shownHeaders.join("")}`, sent ?? body);
    const answer = await send(request);
    const shown = shows ? pick(answer.body, shows) : answer.body;
    printer.came(String(answer.status), shown === "" ? undefined : shown);
    return answer;
  };
  return {
    groupRef,
    projectId: bootstrap.projectId,
    urls,
    sandboxUrl,
    receiver,
    api: (method, path, { of, ...options } = {}) =>
      call({ method, url: `${urls[of ?? "base"]}/projects/default${path}`, headers: key, ...options }),
    write: (integration, object, body, { headers, query = "", ...options } = {}) =>
      call({
        method: "POST",
        url: `${urls.write}/projects/default/integrations/${integration}/objects/${object}${query}`,
        headers: { ...key, ...headers },
        body: { groupRef, ...body },
        ...options,
      }),
    async useTool(credential, tool, args, shows) {
      const url = `${new URL(urls.base).origin}/mcp/v1/projects/default/groups/${groupRef}`;
      const { body } = await call({ url, ...toToolCall(credential, tool, args), shows: shows.map(toPath) });
      return getMember(body, "result.structuredContent");
    },
    async poll(path, isOpen, { shows, everyMs, max }) {
      const url = `${urls.base}/projects/default${path}`;
      for (let asked = 1; isOpen(await send({ method: "GET", url, headers: key })); asked += 1) {
        if (asked === max) throw new StepFailure(`${path} has not ended in ${(max * everyMs) / 1_000} s`);
        await sleep(everyMs);
      }
      return call({ method: "GET", url, headers: key, shows });
    },
    proxy: (integration, method, path, options) =>
      call({
        method,
        url: `${urls.proxy}${path}`,
        headers: { ...key, ...toProxyHeaders({ projectId: bootstrap.projectId, integration, groupRef }) },
        ...options,
      }),
    sandbox: (method, path, options) =>
      call({ method, url: `${sandboxUrl}/sandbox${path}`, headers: {}, ...options }),
    recordInCrm: (record, fields) => recordInCrm(sandboxUrl, printer, record, fields),
    check: (what, holds) => {
      if (!holds) throw new StepFailure(what);
      printer.check(what, true);
    },
    say: (text) => printer.plain(`    ${text}`),
    remember: (name, value) => void remembered.set(name, value),
    recall: (name) => {
      const value = remembered.get(name);
      if (value === undefined) throw new StepFailure("an earlier step, which this one needs, has failed");
      return value;
    },
  };
}

const MCP_REVISION = "2026-07-28";
/** What every message of this revision says about itself. */
const MCP_META = {
  "io.modelcontextprotocol/protocolVersion": MCP_REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "demo agent", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const toProxyHeaders = (of: { projectId: string; integration: string; groupRef: string }) => ({
  "x-amp-proxy-version": "1",
  "x-amp-project-id": of.projectId,
  "x-amp-integration-name": of.integration,
  "x-amp-group-ref": of.groupRef,
});

const toPath = (name: string): string => `result.structuredContent.${name}`;

const toToolCall = (credential: string, tool: string, args: Record<string, Json>) => ({
  method: "POST",
  sent: `${tool} ${JSON.stringify(args)}`,
  headers: {
    authorization: `Bearer ${credential}`,
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": MCP_REVISION,
    "mcp-method": "tools/call",
    "mcp-name": tool,
  },
  body: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: tool, arguments: args, _meta: MCP_META },
  },
});

/** Other headers are the same in every call, or secret. */
const SHOWN_HEADERS = new Set(["idempotency-key", "x-amp-integration-name"]);

interface Outgoing extends CallOptions {
  method: string;
  url: string;
  headers: Record<string, string>;
}

async function send({ method, url, headers, body }: Outgoing): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Calls the simulated CRM directly, not through Busbar. */
async function recordInCrm(
  sandboxUrl: string,
  printer: Printer,
  { provider, object, id }: CrmRecord,
  fields: string[],
): Promise<Json> {
  const path = `/sandbox/records?provider=${provider}&object=${object}`;
  printer.sent(`GET ${path}    (directly at the CRM)`);
  const { body } = await send({ method: "GET", url: `${sandboxUrl}${path}`, headers: {} });
  const records = getMember(body, "records");
  const found = (Array.isArray(records) ? records : []).find(
    (record) => getMember(record, "id") === id || getMember(record, "Id") === id,
  );
  if (found === undefined) throw new StepFailure(`the CRM has no ${object} ${id}`);
  printer.came("its record", pick(found, fields));
  return found;
}

/** Returns the members at the paths, nested as before; `*` means every item of a list. Missing members are left out. */
function pick(value: Json, paths: string[]): Json {
  return pickParts(
    value,
    paths.map((path) => path.split(".")),
  );
}

function pickParts(value: Json, paths: string[][]): Json {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) return value.map((item) => pickParts(item, listBelow(paths, "*")));
  if (!isJsonObject(value)) return value;
  const names = [...new Set(paths.flatMap(([first]) => first ?? []))].filter((name) =>
    Object.hasOwn(value, name),
  );
  return Object.fromEntries(
    names.map((name) => [name, pickParts(value[name] ?? null, listBelow(paths, name))]),
  );
}

const listBelow = (paths: string[][], name: string): string[][] =>
  paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
