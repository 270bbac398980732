/** Erases a customer by as many requests as it takes: on a busy machine, the time of one may not be enough. */
import assert from "node:assert/strict";
import type { TestBusbar } from "./busbar.ts";
import { until } from "./until.ts";

export const eraseWhole = (busbar: TestBusbar, groupRef: string): Promise<true> =>
  until(async () => {
    const { status, body, text } = await busbar.inProject("DELETE", `/groups/${groupRef}`);
    assert.equal(status, 200, text);
    return body.done === true;
  });
