/** Stripe's requests and answers as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["stripe"] ?? {};
assert.ok(read?.readDeletions);
const { readDeletions } = read;

const period = { since: new Date("2026-11-26T10:00:00Z"), until: new Date("2026-11-26T12:00:00Z") };

/** "id: Unique string of your choice that will be used to identify this coupon when applying it to a customer." */
for (const name of ["coupon", "product"])
  test(`a ${name} that was deleted and created anew under its id is not told as deleted`, async () => {
    const { fetch, requests } = replay(
      {
        status: 200,
        body: {
          object: "list",
          has_more: false,
          data: ["SAVE10", "SAVE20"].map((id, index) => ({
            id: `evt_${index}`,
            object: "event",
            type: `${name}.deleted`,
            created: 1_795_687_200,
            data: { object: { id, object: name } },
          })),
        },
      },
      { status: 200, body: { id: "SAVE10", object: name } },
      {
        status: 404,
        body: {
          error: {
            type: "invalid_request_error",
            code: "resource_missing",
            message: `No such ${name}: SAVE20`,
          },
        },
      },
    );
    const { records } = await readDeletions({ objectName: `${name}s`, ...period }, undefined, fetch);
    assert.deepEqual(
      records.map(({ id }) => id),
      ["SAVE20"],
    );
    assert.deepEqual(
      requests.slice(1).map(({ method, path }) => `${method} ${path.split("?")[0]}`),
      [`GET /v1/${name}s/SAVE10`, `GET /v1/${name}s/SAVE20`],
    );
  });
