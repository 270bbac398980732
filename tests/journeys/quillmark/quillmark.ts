/** A provider that does not exist, with awkward habits: it behaves as quillmark.md says, and knows nothing of Busbar. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import {
  COLLECTIONS,
  isField,
  buildMissing,
  QuillmarkAccount,
  listSchemas,
  type QuillError,
  type QuillRecord,
  type Written,
} from "./quillmark-account.ts";

export const CLIENT = { id: "quill-client", secret: "quill-secret" };

export interface Quillmark {
  url: string;
  account: QuillmarkAccount;
  /** `METHOD /path?query` of each request to the API. */
  requests: string[];
  /** Number of writes that are still answered with 429. */
  limited: number;
  /** Carries out the next create, and breaks the connection instead of answering. */
  loses: boolean;
  close(): Promise<void>;
}

interface Asked {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  text: string;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Json;
}

const answerOk = (data: Json, headers = {}): Answer => ({ status: 200, headers, body: { ok: true, data } });

const answerRefused = (errors: QuillError[], status = 200): Answer => ({
  status,
  body: { ok: false, errors: errors.map((error) => ({ ...error })) },
});

const answerUnreadable = (text: string): Answer => answerRefused([{ code: "unreadable", text }], 400);

export async function openQuillmark(): Promise<Quillmark> {
  const api = createQuillmarkApi();
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      const { method = "", headers } = request;
      const url = new URL(request.url ?? "", quillmark.url);
      const answer = api.answer({ method, url, headers, text }, quillmark);
      if (!answer) return request.socket.destroy();
      const fixed = { "content-type": "application/json", "x-rate-remaining": "299" };
      response.writeHead(answer.status, { ...fixed, ...answer.headers });
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const quillmark: Quillmark = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: new QuillmarkAccount(),
    requests: [],
    limited: 0,
    loses: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return quillmark;
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function createQuillmarkApi() {
  const codes = new Set<string>();
  const tokens = new Set<string>();
  const answers = new Map<string, Answer>();
  const granted = (): Answer => {
    const [access, refresh] = [`qa_${randomUUID()}`, `qr_${randomUUID()}`];
    tokens.add(access);
    codes.add(refresh);
    const body = { access_token: access, refresh_token: refresh, token_type: "quill", expires_in: 1_800 };
    return { status: 200, body: { ...body, agency: "bright-lane" } };
  };
  const token = ({ headers, text }: Asked): Answer => {
    const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}`;
    if (headers.authorization !== basic) return { status: 401, body: { error: "invalid_client" } };
    const form = new URLSearchParams(text);
    // Codes and refresh tokens are valid once.
    const isKnown = codes.delete(form.get("code") ?? form.get("refresh_token") ?? "");
    return isKnown ? granted() : { status: 400, body: { error: "invalid_grant" } };
  };
  const consent = ({ url }: Asked): Answer => {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("state", url.searchParams.get("state") ?? "");
    if (!/^(writers:(read|write),?)+$/.test(url.searchParams.get("scope") ?? ""))
      back.searchParams.set("error", "invalid_scope");
    else {
      const code = randomUUID();
      codes.add(code);
      back.searchParams.set("code", code);
    }
    return { status: 302, headers: { location: back.href } };
  };
  /** Undefined: the connection breaks. */
  const answer = (asked: Asked, busbar: Quillmark): Answer | undefined => {
    const { method, url, headers } = asked;
    if (url.pathname === "/oauth/token") return token(asked);
    if (url.pathname === "/oauth/authorize") return consent(asked);
    busbar.requests.push(`${method} ${url.pathname}${url.search}`);
    const given = /^Quill (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (given === undefined || !tokens.has(given))
      return answerRefused([{ code: "bad_token", text: "the token is unknown" }], 401);
    if (headers["quill-version"] !== "2026-03") return answerUnreadable("Quill-Version is missing");
    if (busbar.limited > 0 && method !== "GET") {
      busbar.limited -= 1;
      const reset = String(Math.floor(Date.now() / 1_000) + 1);
      return { status: 429, headers: { "x-rate-remaining": "0", "x-rate-reset": reset } };
    }
    const key = headers["quill-request-key"]?.toString();
    const known = key === undefined ? undefined : answers.get(key);
    if (known) return known;
    const carriedOut = carryOut(asked, busbar.account);
    if (key !== undefined) answers.set(key, carriedOut);
    if (!busbar.loses || method !== "POST") return carriedOut;
    busbar.loses = false;
    return undefined;
  };
  return { answer };
}

/** Addresses are `/v3/<collection>`, `/v3/<collection>/<id>` and so on. */
function carryOut({ method, url, text }: Asked, account: QuillmarkAccount): Answer {
  const [, , first = "", second, third] = url.pathname.split("/");
  if (first === "schema" && second !== undefined) return answerOk({ fields: listSchemas(second) });
  if (!COLLECTIONS.includes(first)) return answerUnreadable("there is no such address");
  const body: Json = text === "" ? {} : JSON.parse(text);
  const action = `${method} ${second === "batch" ? "batch" : second === undefined ? "" : "id"}`;
  const id = second ?? "";
  if (action === "GET ") return answerPage(url, account, first);
  if (action === "POST batch" || action === "PUT batch") return answerBatch(method, body, account, first);
  if (action === "POST ") return answerTo(account.create(first, readAttributes(body)));
  if (action === "PUT id") return answerTo(account.update(first, id, readAttributes(body)));
  if (action === "POST id" && third === "archive") return answerTo(account.archive(first, id));
  const record = action === "GET id" ? account.find(first, id) : undefined;
  return record
    ? answerOk({ item: showRecord(record, readSelected(url)) })
    : answerRefused([buildMissing(id)]);
}

const readSelected = (url: URL): string[] =>
  (url.searchParams.get("select") ?? "").split(",").filter((name) => name !== "");

const showRecord = ({ attributes, ...rest }: QuillRecord, selected: string[]): JsonObject => ({
  ...rest,
  attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => selected.includes(name))),
});

function answerPage(url: URL, account: QuillmarkAccount, collection: string): Answer {
  const [selected, since] = [readSelected(url), url.searchParams.get("since") ?? "0"];
  const unknown = selected.find((name) => !isField(collection, name));
  if (unknown !== undefined)
    return answerRefused([
      { code: "unknown_field", field: unknown, text: `there is no attribute ${unknown}` },
    ]);
  if (!/^\d+$/.test(since))
    return answerRefused([{ code: "invalid_value", text: "since is not in seconds" }]);
  const found = account
    .records(collection)
    .filter(({ state, changed }) => state === "active" && changed >= Number(since));
  const [start, count] = ["start", "count"].map((name) => Number(url.searchParams.get(name) ?? 0));
  const end = (start ?? 0) + Math.min(count || 20, 50);
  const next = new URL(url);
  next.searchParams.set("start", String(end));
  const items = found.slice(start, end).map((record) => showRecord(record, selected));
  const link = end < found.length ? { link: `<${next.href}>; rel="next"` } : {};
  return answerOk({ items, total: found.length }, link);
}

function readAttributes(body: Json): JsonObject {
  const item = isJsonObject(body) && isJsonObject(body["item"]) ? body["item"] : {};
  return isJsonObject(item["attributes"]) ? item["attributes"] : {};
}

const answerTo = (written: Written): Answer =>
  "errors" in written
    ? answerRefused(written.errors)
    : answerOk({ item: { id: written.record.id, state: written.record.state } });

/** The results come in another order. */
function answerBatch(method: string, body: Json, account: QuillmarkAccount, collection: string): Answer {
  const items = isJsonObject(body) && Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
  if (items.length > 25) return answerUnreadable("a batch has at most 25 items");
  const results = items.map((item): JsonObject => {
    const { id, ref = null } = item;
    const attributes = isJsonObject(item["attributes"]) ? item["attributes"] : {};
    const written =
      method === "POST"
        ? account.create(collection, attributes)
        : typeof id === "string"
          ? account.update(collection, id, attributes)
          : { errors: [{ code: "invalid_value", field: "id", text: "id is not a text" }] };
    if ("record" in written) return { ref, ok: true, id: written.record.id };
    return { ref, ok: false, errors: written.errors.map((error) => ({ ...error })) };
  });
  return answerOk({ results: results.toReversed() });
}
