/** Lets calls that come on one connection without waiting for each other's answers follow each other all the same. */
import { ServerResponse, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** The last answer that waits on a connection. */
const lastOf = new WeakMap<Socket, ServerResponse>();

/**
 * Runs `begin` once the call before has its answer. A caller that pipelines may send what rests on the call before, so
 * calls must reach the provider one after the other (RFC 9112, 9.3.2), and no connection can begin calls without end.
 */
export function inTurn({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
  // Node gives an answer the socket when its turn has come: for nearly all at once.
  if (response.socket !== null) return begin();
  const before = lastOf.get(socket) ?? answering(socket);
  lastOf.set(socket, response);
  response.once("close", () => {
    if (lastOf.get(socket) === response) lastOf.delete(socket);
  });
  before?.once("close", () => {
    if (!socket.destroyed) begin();
  });
}

/** The answer that has the socket. Node's own code finds it in the same member. */
export function answering(socket: object): ServerResponse | undefined {
  // oxlint-disable-next-line no-underscore-dangle
  const response = "_httpMessage" in socket ? socket._httpMessage : undefined;
  return response instanceof ServerResponse ? response : undefined;
}
