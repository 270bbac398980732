/** Step: install the integrations for the customer, with a mapping for notes. */
import type { Json } from "../../ground/json.ts";
import { getText, type Step } from "../step.ts";

const INSTALLATIONS: { integration: string; content: Record<string, Json> }[] = [
  {
    integration: "people-hubspot",
    content: {
      provider: "hubspot",
      read: {
        objects: { contacts: { objectName: "contacts", selectedFieldMappings: { notes: "jobtitle" } } },
      },
      proxy: { enabled: true },
    },
  },
  {
    integration: "people-salesforce",
    content: {
      provider: "salesforce",
      read: { objects: { Contact: { objectName: "Contact", selectedFieldMappings: { notes: "Title" } } } },
      proxy: { enabled: true },
    },
  },
  { integration: "accounts-hubspot", content: { provider: "hubspot" } },
];

export const installIntegrations: Step = {
  title: "Install three integrations, with a field mapping",
  async run(deps) {
    for (const { integration, content } of INSTALLATIONS) {
      const { status, body } = await deps.api("POST", `/integrations/${integration}/installations`, {
        body: { groupRef: deps.groupRef, config: { content } },
        shows: ["id", "healthStatus", "config.id"],
      });
      deps.check(
        `${integration} is installed and healthy`,
        status === 201 && getText(body, "healthStatus") === "healthy",
      );
      if (integration === "people-hubspot") deps.remember("hubspotInstallationId", getText(body, "id"));
    }
  },
};
