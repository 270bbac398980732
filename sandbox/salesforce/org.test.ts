// Units of an organisation: everything that an all-or-none call changes at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SandboxClock } from "../clock.ts";
import { DEFAULT_SETTINGS, Org, type OrgChange } from "./org.ts";
import { storeNew } from "./records.ts";

/** Clock that advances by a second with each reading. */
class FastClock extends SandboxClock {
  #readings = 0;
  override now(): number {
    return super.now() + 1_000 * this.#readings++;
  }
}

test("all changes of a unit have one time, however long it takes; the next unit has a later one", () => {
  const org = new Org([], { clock: new FastClock(), ...DEFAULT_SETTINGS });
  const commits: OrgChange[][] = [];
  org.onCommit = (changes) => void commits.push(changes);
  const contacts = org.find("Contact");
  assert.ok(contacts);
  for (let unit = 0; unit < 2; unit++) {
    org.atomically(() => {
      for (const LastName of ["Sol", "Luna"]) storeNew(org, contacts, { LastName });
      return true;
    });
  }
  const [first, second] = commits.map((changes) => changes.map(({ after }) => after["LastModifiedDate"]));
  assert.deepEqual(first, [first?.[0], first?.[0]]);
  assert.deepEqual(second, [second?.[0], second?.[0]]);
  assert.ok(String(second?.[0]) > String(first?.[0]));
});
