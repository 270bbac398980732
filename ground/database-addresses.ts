/** Splits a DATABASE_URL with several hosts, which has libpq's syntax, into addresses of one host each. */

const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?#]*)(.*)$/s;

/** The supported values of libpq's `target_session_attrs`; those for standbys are not, because Busbar has to write. */
const TARGETS = ["any", "read-write", "primary"];

/** Returns an address per host in the order given; undefined if this is not an address of PostgreSQL. */
export function listDatabaseAddresses(url: string): string[] | undefined {
  const [, head = "", hosts = "", rest = ""] = HOSTS.exec(url) ?? [];
  const addresses = hosts.split(",").map((host) => withoutTarget(`${head}${host}${rest}`));
  const isWhole = hosts === "" || !hosts.split(",").includes("");
  return head && isWhole && addresses.every((address) => address !== undefined) ? addresses : undefined;
}

function withoutTarget(address: string): string | undefined {
  // A socket's folder and a host that follows as a parameter leave the host empty.
  const url = URL.parse(address);
  if (!url) return URL.canParse(address.replace("@/", "@localhost/")) ? address : undefined;
  const target = url.searchParams.get("target_session_attrs");
  if (target === null) return address;
  if (!TARGETS.includes(target)) return undefined;
  url.searchParams.delete("target_session_attrs");
  return url.href;
}

/** Returns hosts, port and database of an address, without user and password. */
export function describeAddress(url: string): string {
  const parsed = (listDatabaseAddresses(url) ?? []).flatMap((address) => URL.parse(address) ?? []);
  const hosts = parsed.map(({ hostname, port, searchParams }) => {
    const host = searchParams.get("host") ?? hostname;
    return `${decodeURIComponent(host)}:${port || (searchParams.get("port") ?? "5432")}`;
  });
  return hosts.join(",") + (parsed[0]?.pathname ?? "");
}
