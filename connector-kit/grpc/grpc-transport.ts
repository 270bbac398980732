/** Carries gRPC calls over an HTTP/2 session that the caller opened through the egress guard (docs/decisions/0027). */
import type { ClientHttp2Session, IncomingHttpHeaders } from "node:http2";
import type { Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

/** Answers of Salesforce, the only provider so far, have at most 3 MB. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The library compares it with the session's. It is not sent: a request has the authority of its session. */
const ORIGIN = "https://session.invalid";

export const openGrpcTransport = (session: ClientHttp2Session): Transport =>
  createGrpcTransport({
    baseUrl: ORIGIN,
    sessionManager: {
      authority: ORIGIN,
      async request(method, path, headers, options) {
        const stream = session.request(
          { ...headers, "user-agent": "busbar", ":method": method, ":path": path },
          options,
        );
        // Before the library, which gets the same objects.
        stream.once("response", keepReadable).once("trailers", keepReadable);
        // The library leaves its own side open when the server has ended the call.
        stream.once("end", () => stream.close());
        return stream;
      },
      // The session has pings of its own.
      notifyResponseByteRead() {},
    },
    acceptCompression: [],
    readMaxBytes: MAX_BYTES,
  });

/** A text that is not well encoded is kept as it stands: the library would throw the whole error away, with the provider's code. */
function keepReadable(headers: IncomingHttpHeaders): void {
  const message = headers["grpc-message"];
  if (typeof message !== "string") return;
  try {
    decodeURIComponent(message);
  } catch {
    headers["grpc-message"] = encodeURIComponent(message);
  }
}
