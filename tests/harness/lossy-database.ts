/** A way to PostgreSQL that loses the answer to a statement: the server carries it out, and the connection breaks. Or one that stalls. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface LossyDatabase {
  connectionString: string;
  /** Carried-out statements whose answers were lost. */
  readonly lost: number;
  /**
   * Loses the answer to the next statement whose name or text contains `part`; with `after`, of the connection that has sent this
   * before. Background work commits too.
   */
  loseAnswer(part: string, after?: string): void;
  /** Lets the open connections with this application name stall: they stay open, and nothing passes. Returns how many there are. */
  stall(applicationName: string): number;
  /** Number of connections with this application name that were opened so far. */
  countOpened(applicationName: string): number;
  close(): void;
}

export async function startLossyDatabase(connectionString: string): Promise<LossyDatabase> {
  const target = new URL(connectionString);
  const sockets = new Set<Socket>();
  let asked: { part: string; after: string | undefined } | undefined;
  let lost = 0;
  /** The first message of each connection, which has its name. */
  const pairs: { first: string; isStalled: boolean; isOpen: boolean }[] = [];
  const isNamed =
    (name: string) =>
    ({ first }: { first: string }) =>
      first.includes(`\0${name}\0`);
  const server = createServer((client) => {
    const host = decodeURIComponent(target.hostname);
    const port = target.port || "5432";
    const upstream = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
    let isMarked = false;
    const pair = { first: "", isStalled: false, isOpen: true };
    pairs.push(pair);
    let begun: typeof asked;
    const close = (): void => {
      pair.isOpen = false;
      [client, upstream].forEach((socket) => socket.destroy());
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", close).on("close", close);
    }
    client.on("data", (chunk: Buffer) => {
      pair.first ||= chunk.toString("latin1");
      if (pair.isStalled) return;
      if (asked && (asked.after === undefined || chunk.includes(asked.after))) begun = asked;
      if (asked && begun === asked && chunk.includes(asked.part)) {
        isMarked = true;
        asked = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      if (pair.isStalled) return;
      if (!isMarked) return void client.write(chunk);
      // `Z`, ready for the next query, comes after the commit.
      if (chunk.at(-6) !== "Z".charCodeAt(0)) return;
      lost += 1;
      close();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = new URL(connectionString);
  own.hostname = "127.0.0.1";
  own.port = String((server.address() as AddressInfo).port);
  return {
    connectionString: own.href,
    get lost() {
      return lost;
    },
    stall(applicationName) {
      const open = pairs.filter((pair) => pair.isOpen && isNamed(applicationName)(pair));
      for (const pair of open) pair.isStalled = true;
      return open.length;
    },
    countOpened: (applicationName) => pairs.filter(isNamed(applicationName)).length,
    loseAnswer: (part, after) => void (asked = { part, after }),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
