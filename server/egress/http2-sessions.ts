/** HTTP/2 sessions to providers, through the address guard. Calls of many connections share a session. */
import { connect, type ClientHttp2Session } from "node:http2";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { normalizeHost } from "./address-guard.ts";
import { EgressError, toEgressError } from "./egress-error.ts";
import type { Egress } from "./egress.ts";

export interface Http2Sessions {
  /** Returns a session to the origin of the URL for one long call. Throws `EgressError`. */
  lease(url: URL): Promise<Http2Lease>;
  /** Ends all sessions, and the calls on them. */
  close(): void;
}

interface Http2Lease {
  session: ClientHttp2Session;
  /** Frees the slot for another call. */
  release(): void;
}

/** Long calls of one session; short ones of theirs need capacity, too. Servers commonly allow 1,000. */
const MAX_LEASES = 400;
const CONNECT_TIMEOUT_MS = 10_000;
/** Behind NAT a connection may end without a notice, so a ping without an answer ends the session. */
const PING_EVERY_MS = 45_000;
const PING_TIMEOUT_MS = 20_000;
/** A call that is not read keeps its own share only: without this, it would stop the others of the session. */
const WINDOW_BYTES = 65_535 * (MAX_LEASES + 1);

interface Shared {
  opened: Promise<ClientHttp2Session>;
  leases: number;
  maxLeases: number;
  isUsable: boolean;
}

export function openHttp2Sessions(egress: Pick<Egress, "guardedLookup" | "allowsPlainHttp">): Http2Sessions {
  const byOrigin = new Map<string, Shared[]>();
  const open = (url: URL): Shared => {
    const shared: Shared = {
      opened: openSession(egress, url),
      leases: 0,
      maxLeases: MAX_LEASES,
      isUsable: true,
    };
    const list = byOrigin.get(url.origin) ?? [];
    byOrigin.set(url.origin, [...list, shared]);
    const drop = (): void => {
      shared.isUsable = false;
      const left = (byOrigin.get(url.origin) ?? []).filter((one) => one !== shared);
      if (left.length > 0) byOrigin.set(url.origin, left);
      else byOrigin.delete(url.origin);
    };
    shared.opened.then((session) => {
      // Calls under way may end by themselves; new ones need another session.
      session.once("goaway", drop);
      session.once("close", drop);
      const allowed = session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      shared.maxLeases = Math.max(1, Math.min(MAX_LEASES, Math.floor(allowed / 2)));
    }, drop);
    return shared;
  };
  return {
    async lease(url) {
      const free = byOrigin.get(url.origin)?.find((one) => one.isUsable && one.leases < one.maxLeases);
      const shared = free ?? open(url);
      shared.leases += 1;
      let isReleased = false;
      const release = (): void => {
        if (isReleased) return;
        isReleased = true;
        shared.leases -= 1;
        if (shared.leases === 0) void shared.opened.then((session) => session.close()).catch(() => {});
        if (shared.leases === 0) shared.isUsable = false;
      };
      try {
        return { session: await shared.opened, release };
      } catch (error) {
        release();
        throw error;
      }
    },
    close() {
      for (const shared of [...byOrigin.values()].flat()) {
        void shared.opened.then((session) => session.destroy()).catch(() => {});
      }
    },
  };
}

async function openSession(
  egress: Pick<Egress, "guardedLookup" | "allowsPlainHttp">,
  url: URL,
): Promise<ClientHttp2Session> {
  const host = normalizeHost(url.hostname);
  if (url.protocol !== "https:" && !egress.allowsPlainHttp(host)) {
    throw new EgressError(
      "forbidden-address",
      false,
      `${url.origin} is not https; list ${host} in BUSBAR_EGRESS_ALLOW to reach it all the same`,
    );
  }
  const socket = openSocket(egress, url, host);
  const session = connect(url.origin, { createConnection: () => socket });
  const timer = setTimeout(() => session.destroy(new Error("no connection in time")), CONNECT_TIMEOUT_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      // The server's settings come first; they say how many calls it takes.
      session.once("remoteSettings", () => resolve());
      session.once("error", reject);
      session.once("close", () => reject(new Error("closed before it was open")));
    });
  } catch (error) {
    session.destroy();
    throw toEgressError(error, false, url.host);
  } finally {
    clearTimeout(timer);
  }
  // Each call reports the end of the session itself.
  session.on("error", () => {});
  session.setLocalWindowSize(WINDOW_BYTES);
  keepAlive(session);
  return session;
}

function openSocket(egress: Pick<Egress, "guardedLookup">, url: URL, host: string): Socket {
  const isTls = url.protocol === "https:";
  const port = Number(url.port) || (isTls ? 443 : 80);
  const options = { host, port, lookup: egress.guardedLookup(host) };
  if (!isTls) return connectPlain(options);
  // An address is no server name.
  const servername = isIP(host) ? {} : { servername: host };
  return connectTls({ ...options, ...servername, ALPNProtocols: ["h2"] });
}

function keepAlive(session: ClientHttp2Session): void {
  const timer = setInterval(() => {
    const late = setTimeout(() => session.destroy(new Error("no answer to a ping")), PING_TIMEOUT_MS);
    const isSent = !session.destroyed && session.ping(() => clearTimeout(late));
    if (!isSent) clearTimeout(late);
  }, PING_EVERY_MS);
  session.once("close", () => clearInterval(timer));
}
