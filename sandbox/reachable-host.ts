/** Returns the host for an address of this machine: loopback for a listener on all addresses, brackets around IPv6. */
export function toReachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
