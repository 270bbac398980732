/** Guards the rule about destinations. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { surroundBody, known, reported } from "../manifest-fixture.ts";

const TWICE = surroundBody(`provider: acme
read:
  objects:
    - { objectName: a, destination: hooc }
    - { objectName: b, destination: hooc }`);

describe("a destination that is missing", () => {
  test("is a mistake wherever it is named", () => {
    assert.deepEqual(reported(TWICE, known), ["destination-not-found 7:41", "destination-not-found 8:41"]);
  });

  test("is one warning where it may be made later", () => {
    const context = { ...known, destinationsMayFollow: true };
    assert.deepEqual(reported(TWICE, context), ["destination-not-found 7:41"]);
  });
});
