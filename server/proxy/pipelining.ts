/** Refuses pipelined requests: those that arrive before the previous answer on their connection is complete. */
import type { IncomingMessage, ServerResponse } from "node:http";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** The latest accepted answer of each connection. */
const answers = new WeakMap<object, ServerResponse>();

/** Returns the answer on this connection that is not completely written yet. */
export function isAnswerInProgress(socket: object): ServerResponse | undefined {
  const answer = answers.get(socket);
  return answer?.writableEnded ? undefined : answer;
}

/**
 * Calls `serve` if all earlier requests on the connection have been answered, else `refuse`. A pipelined request may
 * depend on the request before it (RFC 9112, 9.3.2), so the provider must not get both at the same time. Node sends the
 * refusal after the answer in progress.
 */
export function refusePipelined(serve: Listener, refuse: Listener): Listener {
  return (request, response) => {
    const { socket } = request;
    // An earlier answer closes the connection: the caller must send this request again on another one.
    if (!socket.writable) return;
    // Node gives a response its socket at once, unless an earlier response still has it.
    if (response.socket !== null) {
      answers.set(socket, response);
      return serve(request, response);
    }
    const earlier = answers.get(socket);
    if (!earlier?.writableEnded) return refuse(request, response);
    // Not pipelined: a caller may receive the end of an answer shortly before Node reports that it was sent.
    answers.set(socket, response);
    earlier.once("close", () => {
      if (socket.writable) serve(request, response);
    });
  };
}
