/** The operator's limits where several processes serve behind one listener: their parent counts for all of them. */
import { Problem } from "../ground/errors.ts";
import type { Limits } from "./limits.ts";

type Who = Parameters<Limits["enter"]>[0];

/** From a process to its parent. `call` is a number that the process uses once. */
type Asked = { limits: "enter"; call: number; who: Who } | { limits: "leave"; call: number };

/** From the parent. */
interface Answered {
  limits: "answer";
  call: number;
  refusal?: { detail: string; retryAfterMs: number | undefined };
}

/** One end of the channel between a process and its parent: a `Worker` of node:cluster, or `process`. */
export interface Channel {
  send?(message: Asked | Answered): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

interface Process extends Channel {
  once(event: "exit", listener: () => void): unknown;
}

/** The parent's side: counts for a process until it ends. */
export function countFor(process: Process, limits: Limits): void {
  const underWay = new Map<number, () => void>();
  process.on("message", async (message) => {
    if (!isOurs<Asked>(message)) return;
    const { call } = message;
    if (message.limits === "leave") {
      underWay.get(call)?.();
      underWay.delete(call);
      return;
    }
    try {
      underWay.set(call, await limits.enter(message.who));
      process.send?.({ limits: "answer", call });
    } catch (error) {
      process.send?.({ limits: "answer", call, refusal: asRefusal(error) });
    }
  });
  process.once("exit", () => {
    for (const leave of underWay.values()) leave();
    underWay.clear();
  });
}

/** A process's side. A call waits for the parent's answer, about a tenth of a millisecond. */
export function limitsOfParent(parent: Channel): Limits {
  const waiting = new Map<number, { admit(leave: () => void): void; refuse(problem: Problem): void }>();
  let calls = 0;
  parent.on("message", (message) => {
    if (!isOurs<Answered>(message)) return;
    const { call, refusal } = message;
    const asked = waiting.get(call);
    waiting.delete(call);
    if (refusal) asked?.refuse(asProblem(refusal));
    else asked?.admit(() => parent.send?.({ limits: "leave", call }));
  });
  return {
    enter: (who) =>
      new Promise((admit, refuse) => {
        const call = (calls += 1);
        waiting.set(call, { admit, refuse });
        parent.send?.({ limits: "enter", call, who });
      }),
  };
}

const isOurs = <Message>(message: unknown): message is Message =>
  typeof message === "object" && message !== null && "limits" in message;

function asRefusal(error: unknown): Answered["refusal"] {
  if (!(error instanceof Problem))
    return { detail: "The limits could not be asked.", retryAfterMs: undefined };
  return { detail: error.message, retryAfterMs: error.options.retryAfter?.getTime() };
}

const asProblem = ({ detail, retryAfterMs }: NonNullable<Answered["refusal"]>): Problem =>
  new Problem("too-many-requests", {
    detail,
    ...(retryAfterMs !== undefined && { retryAfter: new Date(retryAfterMs) }),
  });
