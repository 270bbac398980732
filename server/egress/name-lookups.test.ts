/** Names whose name server is silent, looked up at a real UDP server (RFC 1035). */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { withWorkIds } from "../../ground/current-work.ts";
import { EgressError } from "./egress-error.ts";
import { openNameLookups, type NameLookups } from "./name-lookups.ts";
import { openEgress } from "./open-egress.ts";
import { queryName } from "./query-name.ts";

/** Written as in a name server's log: the names that were asked for, IPv4 only. */
const asked: string[] = [];
/** Silent about all names but these. Empty: there is no such name. */
const zone = new Map<string, string>();
const nameServer = createSocket("udp4", (query, from) => {
  const labels: string[] = [];
  let at = 12;
  while (query[at]) {
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
    at += 1 + (query[at] ?? 0);
  }
  const isIpv4 = query.readUInt16BE(at + 1) === 1;
  const name = labels.join(".");
  if (isIpv4) asked.push(name);
  const address = zone.get(name);
  if (address === undefined) return;
  const answers = isIpv4 && address !== "";
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(address === "" ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(answers ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  // Name, type A, class IN, 0 s, 4 bytes.
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]);
  const question = query.subarray(12, at + 5);
  nameServer.send(Buffer.concat([head, question, ...(answers ? [record] : [])]), from.port, from.address);
});
const receiver = createServer((_request, response) => response.end("hello"));

let servers: string[];
let port: number;
before(async () => {
  await new Promise<void>((resolve) => nameServer.bind(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  servers = [`127.0.0.1:${nameServer.address().port}`];
  port = (receiver.address() as AddressInfo).port;
});
after(() => {
  nameServer.close();
  receiver.close().closeAllConnections();
});

const silentNames = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `silent${from + index}.example`);

const catchCode = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "found",
    (error: { code?: string }) => error.code,
  );

describe("a name", () => {
  let names: NameLookups;
  /** Silent names that are looked up, now and at most. */
  const open = { now: 0, most: 0 };
  beforeEach(() => {
    names = openNameLookups(async (name) => {
      if (!name.startsWith("silent")) return queryName(name, { servers, withinMs: 200 });
      open.most = Math.max(open.most, (open.now += 1));
      return queryName(name, { servers, withinMs: 200 }).finally(() => (open.now -= 1));
    });
    asked.length = 0;
    zone.clear();
    zone.set("healthy.example", "127.0.0.1").set("", "");
  });

  test("that answers is found while 40 silent ones of another project are looked up, and of the same project", async () => {
    const silent = Promise.all(silentNames(40).map((name) => catchCode(names.find(name, "noisy"))));
    const found = [{ address: "127.0.0.1", family: 4 }];
    assert.deepEqual(await names.find("healthy.example", "quiet"), found);
    assert.deepEqual(await names.find("healthy.example", "noisy"), found);
    assert.equal(open.most, 4, "four at a time");
    // The rest of the 40 were given up while they waited: none was found.
    assert.deepEqual(
      (await silent).filter((code) => code !== "ETIMEOUT" && code !== "EBUSY"),
      [],
    );
    // Names that were silent leave places to others.
    asked.length = 0;
    void silentNames(4).map((name) => catchCode(names.find(name, "noisy")));
    assert.deepEqual(await names.find("healthy.example", "noisy"), found);
  });

  test("that is silent is not asked for again at once, and one that does not exist is no silence", async () => {
    assert.equal(await catchCode(names.find("silent.example", "p")), "ETIMEOUT");
    asked.length = 0;
    assert.equal(await catchCode(names.find("silent.example", "other")), "ETIMEOUT");
    assert.deepEqual(asked, []);
    zone.set("absent.example", "");
    assert.equal(await catchCode(names.find("absent.example", "p")), "ENOTFOUND");
  });

  test("keeps its last address while its name server is silent, and none when it was removed", async () => {
    zone.set("removed.example", "127.0.0.1");
    await names.find("healthy.example", "p");
    await names.find("removed.example", "p");
    zone.delete("healthy.example");
    zone.set("removed.example", "");
    assert.deepEqual(await names.find("healthy.example", "p"), [{ address: "127.0.0.1", family: 4 }]);
    assert.equal(await catchCode(names.find("removed.example", "p")), "ENOTFOUND");
  });

  test("that moves is found at its new address, and calls at the same time share one query", async () => {
    await Promise.all([1, 2, 3].map(() => names.find("healthy.example", "p")));
    assert.deepEqual(asked, ["healthy.example"]);
    zone.set("healthy.example", "127.0.0.2");
    assert.deepEqual(await names.find("healthy.example", "p"), [{ address: "127.0.0.2", family: 4 }]);
  });

  test("is called through the guard, which judges the address of the name", async (t) => {
    const egress = openEgress(["127.0.0.1"], names);
    const strict = openEgress([], names);
    t.after(() => Promise.all([egress.close(), strict.close()]));
    const call = (host: string, by = egress) =>
      withWorkIds({ projectId: "p" }, () =>
        by.send({ url: new URL(`http://${host}:${port}/`), method: "GET" }),
      );
    const silent = silentNames(6, 100).map((host) => catchCode(call(host)));
    assert.equal((await call("healthy.example")).status, 200);
    const refused = (failure: string) => (error: unknown) =>
      error instanceof EgressError && error.failure === failure && !error.sent;
    await assert.rejects(call("healthy.example", strict), refused("forbidden-address"));
    await assert.rejects(call(silentNames(1, 100)[0] ?? ""), refused("not-connected"));
    await Promise.all(silent);
  });
});
