/** Step: deploy a manifest with errors; it is refused as a whole, each error with place and remedy. */
import { list, getMember, type Step } from "../step.ts";

const FAULTY = `specVersion: 1.0.0
integrations:
  - name: broken
    provider: hubspott
    proxy:
      enabled: true
  - name: too-often
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: people
          schedule: "every minute"
`;

export const refuseManifest: Step = {
  title: "A manifest with errors is refused as a whole",
  async run(deps) {
    for (const line of FAULTY.trimEnd().split("\n")) deps.say(`  | ${line}`);
    const { status, body } = await deps.api("PUT", "/integrations:batch", {
      body: { sourceYaml: FAULTY },
      sent: "the lines above",
      shows: ["title", "status", "detail", "requestId"],
    });
    deps.check("the answer is a Problem with status 422", status === 422);
    for (const issue of list(body, "issues")) {
      const [line, column, detail, remedy] = ["line", "column", "detail", "remedy"].map((name) =>
        getMember(issue, name),
      );
      deps.check(
        `line ${line}, column ${column}: ${detail} ${remedy}`,
        Number(line) > 0 && Number(column) > 0,
      );
    }
    deps.check("both errors are reported at once", list(body, "issues").length === 2);
  },
};
