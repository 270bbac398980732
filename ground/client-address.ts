/** Finds the address of a client behind reverse proxies that the operator trusts. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, type Socket } from "node:net";

export type ClientAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/**
 * Returns a function that follows `X-Forwarded-For` from its end, as long as the hop before is listed in `trusted`
 * (addresses and CIDRs). What a client wrote into the header itself is never believed.
 */
export function openClientAddress(trusted: string[]): ClientAddress {
  if (trusted.length === 0) return readPeer;
  const isTrusted = openNetworks(trusted);
  return ({ headers, socket }) => {
    let address = readPeer({ socket });
    const forwarded = headers["x-forwarded-for"];
    const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",");
    while (isTrusted(address)) {
      const hop = removePort(hops.pop() ?? "");
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  };
}

/** Returns a predicate for connections from one of `trusted`, whose forwarding headers count. */
export function openIsBehindProxy(trusted: string[]): (socket: Pick<Socket, "remoteAddress">) => boolean {
  if (trusted.length === 0) return () => false;
  const isTrusted = openNetworks(trusted);
  const known = new WeakMap<object, boolean>();
  return (socket) => {
    let isBehind = known.get(socket);
    if (isBehind === undefined) known.set(socket, (isBehind = isTrusted(readPeer({ socket }))));
    return isBehind;
  };
}

/** Returns a predicate for addresses in one of these networks. */
export function openNetworks(networks: string[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/** Returns whether a text is an IP address or a network in CIDR notation, such as `10.0.0.0/8` or `2001:db8::/32`. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  // Clients with an IPv4 address are known by it, whatever socket they come through.
  if (family === 0 || more.length > 0 || /%|^::ffff:\d+\./i.test(text)) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

const readPeer = ({ socket }: { socket: Pick<Socket, "remoteAddress"> }): string =>
  withoutPrefix(socket.remoteAddress ?? "");

/** Some proxies add the port. */
const removePort = (text: string): string =>
  withoutPrefix(
    text
      .trim()
      .replace(/^\[(.*)\](:\d+)?$/, "$1")
      .replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1"),
  );

/** IPv4 clients of an IPv6 socket come as `::ffff:192.0.2.1`. */
const withoutPrefix = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");
