/** Reads the stream of a connection by a call of long duration, on an HTTP/2 session that many connections share. */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { StreamCredentials, StreamReader } from "../../../connector-kit/stream-connector.ts";
import type { LiveConnection } from "../../calls/live-connection.ts";
import type { EventStreamRow } from "../../store/subscriptions/event-streams.ts";
import type { StreamServices } from "../definition/subscribe-services.ts";
import type { StreamProgress, StreamSource } from "./stream-source.ts";

export const readLongCall = (deps: StreamServices, reader: StreamReader): StreamSource =>
  async function* ({ stream, from, progress, signal, onCall }) {
    const url = requireStreamUrl(await findLive(deps, stream, progress));
    const lease = await deps.http2.lease(url);
    onCall();
    try {
      yield* reader.read({
        session: lease.session,
        topic: stream.topic,
        from,
        credentials: async () => buildCredentials(deps, stream, await findLive(deps, stream, progress)),
        signal,
      });
    } finally {
      lease.release();
    }
  };

function requireStreamUrl({ provider }: LiveConnection): URL {
  const url = URL.parse(provider.pubSubURL ?? "");
  if (url) return url;
  throw new ProviderError({
    kind: "forbidden",
    message: `The catalog has no \`pubSubURL\` for ${provider.name}.`,
  });
}

async function findLive(
  { connections }: StreamServices,
  { projectId, connectionId }: EventStreamRow,
  progress: StreamProgress,
): Promise<LiveConnection> {
  const live = connectionId === null ? undefined : await connections.find(projectId, connectionId);
  if (!live) throw new ProviderError({ kind: "forbidden", message: "The connection was deleted." });
  progress.live = live;
  return live;
}

function buildCredentials(
  { connections }: StreamServices,
  { accountRef }: EventStreamRow,
  live: LiveConnection,
): StreamCredentials {
  if (live.accessToken === undefined || live.status === "bad_credentials") {
    const message = "The connection has no valid token. The customer has to connect the account again.";
    throw new ProviderError({ kind: "unauthorized", message });
  }
  return { accessToken: live.accessToken, instanceUrl: connections.baseUrl(live).origin, accountRef };
}
