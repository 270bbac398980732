/** Chooses among the hosts of DATABASE_URL the one that takes writes, and opens connections to it. */
import { Client, type ClientConfig } from "pg";
import { listDatabaseAddresses } from "../../../ground/database-addresses.ts";

export interface DatabaseHosts {
  readonly count: number;
  /** Number of connections that are being opened. */
  connecting: number;
  /** Connection string with one host: the one that answered last. */
  current(): string;
  /** Moves on to the next host, unless that has happened since `address` was current. */
  leave(address: string): void;
}

export function openDatabaseHosts(connectionString: string): DatabaseHosts {
  const addresses = listDatabaseAddresses(connectionString) ?? [connectionString];
  let index = 0;
  const current = () => addresses[index] ?? connectionString;
  return {
    count: addresses.length,
    connecting: 0,
    current,
    leave(address) {
      if (address === current()) index = (index + 1) % addresses.length;
    },
  };
}

/** Timeout of a connection attempt if there are several hosts. A host that is switched off does not refuse, so the wait is short. */
const NEXT_HOST_MS = 3_000;

/** SQLSTATE of a write on a standby. */
const READ_ONLY = "25006";

/**
 * Connection to the current host. If it fails, or if one of several hosts is a standby, the next connection goes to the next
 * host.
 */
export class HostClient extends Client {
  readonly #hosts: DatabaseHosts;
  readonly #address: string;

  constructor(hosts: DatabaseHosts, options: ClientConfig) {
    const address = hosts.current();
    super({
      ...options,
      connectionString: address,
      ...(hosts.count > 1 && { connectionTimeoutMillis: NEXT_HOST_MS }),
    });
    this.#hosts = hosts;
    this.#address = address;
    // A broken connection fails its statement. Its own error event must not end the process as well, whenever it comes.
    this.on("error", () => {});
  }

  override connect(): Promise<Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: Client) => void)): void;
  override connect(
    callback?: ((error: Error) => void) | ((error: null, client: Client) => void),
  ): Promise<Client> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    const report = callback as (error: Error | null, client: Client) => void;
    connected.then(
      () => report(null, this),
      (error: Error) => report(error, this),
    );
    return undefined;
  }

  async #connect(): Promise<Client> {
    this.#hosts.connecting += 1;
    try {
      await super.connect();
      if (this.#hosts.count > 1) await requireWritable(this);
      return this;
    } catch (error) {
      this.#hosts.leave(this.#address);
      await this.end().catch(() => {});
      throw withAddress(error, this.host);
    } finally {
      this.#hosts.connecting -= 1;
    }
  }
}

/**
 * Adds the address to errors that lack it: a failed lookup of a name, and a failure of all its addresses. The address marks an
 * outage, and tells statements that were never sent from those that may have been.
 */
function withAddress(error: unknown, host: string): unknown {
  const lacksIt =
    error instanceof AggregateError ||
    (error instanceof Error && "syscall" in error && error.syscall === "getaddrinfo");
  return lacksIt ? Object.assign(error, { address: host }) : error;
}

/** Throws the error that a write on a standby would cause, if the server is one. */
export async function requireWritable(client: Client): Promise<void> {
  const { rows } = await client.query<{ readOnly: string }>(
    `select current_setting('transaction_read_only') as "readOnly"`,
  );
  if (rows[0]?.readOnly !== "on") return;
  throw Object.assign(new Error("the server is a standby, or takes no writes"), { code: READ_ONLY });
}

/** Calls `connect` until it succeeds, at most once for each host; throws the last error. */
export async function tryHosts<T>(
  { count }: DatabaseHosts,
  connect: () => Promise<T>,
  mayRetry: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await connect();
    } catch (error) {
      if (tries >= count || !mayRetry(error)) throw error;
    }
  }
}
