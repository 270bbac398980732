/** What doctor advises for each reason of an unhealthy installation: commands that can be run as they are printed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkProject } from "./check-project.ts";

const OPERATION = "01a2b3c4-0000-7000-8000-00000000615f";

const reasons = [
  {
    type: "destination",
    name: "gone",
    detail: "There is no destination of this name: what is read waits for it.",
  },
  { type: "destination", name: "dead", detail: "Its last attempts failed." },
  {
    type: "read",
    name: "person",
    detail: `The provider gave no page. The log of operation ${OPERATION} says more.`,
  },
  { type: "read", name: "company", detail: "The last read failed." },
  { type: "subscription", name: "contacts", detail: "It could not be set up." },
];

test("each cure names all that its command needs", async () => {
  const installation = { id: "i1", group: { groupRef: "acme" }, healthReasons: reasons };
  const found = await checkProject({
    inProject: async (_method, path) => (path === "/installations" ? [installation] : []),
  });
  assert.deepEqual(
    found.filter(({ ok }) => !ok).map(({ cure }) => cure),
    [
      "Create it: busbar create destination gone --webhook <url>. What waits is sent then.",
      "Look with: busbar test destination dead",
      `Look with: busbar logs ${OPERATION}`,
      "Look with: busbar operations --group acme",
      "Look with: busbar list subscriptions --installation i1",
    ],
  );
});
