/** Step: deploy the sample manifests of the guide. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { list, type Step } from "../step.ts";

const EXAMPLES = join(import.meta.dirname, "../../docs/guide/examples");
const FILES = ["crm-people.amp.yaml", "crm-accounts.amp.yaml", "call-through.amp.yaml"];

export const deployManifests: Step = {
  title: "Deploy three amp.yaml files",
  async run(deps) {
    for (const file of FILES) {
      const sourceYaml = await readFile(join(EXAMPLES, file), "utf8");
      const answer = await deps.api("PUT", "/integrations:batch", {
        body: { sourceYaml },
        sent: `the text of docs/guide/examples/${file}`,
        shows: ["*.name", "*.provider", "*.latestRevision.id"],
      });
      deps.check(`${file} is deployed`, answer.status === 200);
    }
    const { body } = await deps.api("GET", "/integrations", { shows: ["*.name"] });
    deps.check("there are seven integrations", list({ all: body }, "all").length >= 7);
  },
};
