/** Returns the host for an address of this machine: that of a listener on all addresses is its own, and IPv6 has brackets. */
export function toReachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
