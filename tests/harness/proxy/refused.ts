/** Sends bytes that must not pass and reads what the proxy says to them. */
import assert from "node:assert/strict";
import { dial, findHeader, type WireMessage } from "./wire.ts";

/** Returns what came back; asserts that it is a Problem marked as ours. */
export async function refused(
  port: number,
  bytes: string,
): Promise<{ answer: WireMessage; problem: { detail: string } }> {
  const { socket, reader } = await dial(port);
  socket.write(Buffer.from(bytes, "latin1"));
  const answer = await reader.message();
  reader.close();
  assert.ok(answer, "there was an answer");
  assert.equal(findHeader(answer.lines, "x-amp-error"), "true");
  assert.equal(findHeader(answer.lines, "content-type"), "application/problem+json");
  const problem = JSON.parse(answer.body.toString("utf8"));
  assert.equal(problem.subsystem, "proxy");
  assert.equal(problem.requestId, findHeader(answer.lines, "x-request-id"));
  return { answer, problem };
}

/** Returns the status of an answer's first line. */
export const readStatus = (message: WireMessage | undefined): number =>
  Number(message?.startLine.split(" ")[1] ?? Number.NaN);
