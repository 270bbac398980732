/** A customer whose installation reads and subscribes, for pages that show it. */
import { connectCustomer } from "../harness/connect-customer.ts";
import type { Dashboard } from "./open-dashboard.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: people
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: my-app
          schedule: "*/30 * * * *"
          backfill: { defaultPeriod: { fullHistory: true } }
          requiredFields: [{ fieldName: email }]
          optionalFieldsAuto: all
    subscribe:
      objects:
        - objectName: contacts
          destination: my-app
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, requiredWatchFields: [email] }
`;

/** Returns the path of the installation below its project. Delete the integration `people` afterwards. */
export async function installReader({ busbar: server }: Dashboard): Promise<string> {
  const content = { read: { objects: { contacts: { objectName: "contacts" } } } };
  const wanted = { provider: "hubspot", groupRef: "reader", integration: "people", content } as const;
  const { installationId } = await connectCustomer(server, { ...wanted, manifest: MANIFEST });
  return `/integrations/people/installations/${installationId}`;
}
