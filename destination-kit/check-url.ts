/** Checks addresses that builders enter. */
import type { AddressRules, Fault } from "./destination.ts";

/** Returns the faults of an address that messages are to be sent to. */
export function checkUrl(name: string, text: string, network: AddressRules): Fault[] {
  const url = URL.parse(text);
  if (!url) return [{ name, detail: "must be an absolute address such as https://example.com/hooks" }];
  if (isCopied(text)) return [{ name, detail: COPIED }];
  if (url.username || url.password) {
    return [{ name, detail: "must not hold a user name or password; put a token into a header" }];
  }
  if (!network.mayReach(url.hostname)) return [{ name, detail: isPrivate(url.hostname) }];
  if (url.protocol === "https:") return [];
  if (url.protocol === "http:" && network.allowsPlainHttp(url.hostname)) return [];
  const detail =
    url.protocol === "http:"
      ? "must begin with https://; plain http is for hosts in BUSBAR_EGRESS_ALLOW"
      : "must begin with https://";
  return [{ name, detail }];
}

/** Returns the faults of `metadata.endpointUrl`, an address that replaces the service's own. */
export const checkEndpoint = (endpointUrl: string | undefined, network: AddressRules): Fault[] =>
  endpointUrl === undefined ? [] : checkUrl("metadata.endpointUrl", endpointUrl, network);

/** The fault of a host that may not be reached. */
export function isPrivate(host: string): string {
  return `leads to ${host}, which is private; list it in BUSBAR_EGRESS_ALLOW to reach it`;
}

/** Returns whether an address was copied from where its secrets are hidden. */
export const isCopied = (text: string): boolean => text.includes("…");
export const COPIED = "is not the whole address: `…` stands for what is hidden from viewers";
