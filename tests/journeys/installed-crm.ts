/** An installed HubSpot customer whose configuration tests change. */
import type { Answer, TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";

export const CRM_MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ fieldName: phone }, { fieldName: city }]
        - objectName: crm.custom.thing
          destination: hook
          optionalFields: [{ fieldName: name }]
    write:
      objects:
        - objectName: contacts
        - objectName: companies
    subscribe:
      objects:
        - objectName: contacts
          destination: hook
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
    proxy:
      enabled: true
`;

const CONTENT = {
  read: { objects: { contacts: { selectedFields: { phone: true } } } },
  proxy: { enabled: true },
};

export interface InstalledCrm {
  groupRef: string;
  connectionId: string;
  installationId: string;
  update(updateMask: string[], installation: object, query?: string): Promise<Answer>;
  /** `query` may be `?skipSampling=true`: the account does not have every object of the manifest. */
  updateContent(updateMask: string[], content: object, query?: string): Promise<Answer>;
  /** Changes `contacts` of this installation, unless another object or installation is given. */
  patch(action: string, changes: object[], objectName?: string, which?: object): Promise<Answer>;
  /** The installation without its health. */
  show(): Promise<Answer["body"]>;
}

/** The health may change at any time, as when the sandbox limits what the new subscription asks. */
export function omitHealth(installation: Answer["body"]): Answer["body"] {
  const { healthStatus: _status, healthReasons: _reasons, ...stored } = installation;
  return stored;
}

export async function installCrm(busbar: TestBusbar, groupRef: string): Promise<InstalledCrm> {
  const { connectionId, installationId } = await connectCustomer(busbar, {
    provider: "hubspot",
    manifest: CRM_MANIFEST,
    integration: "crm",
    groupRef,
    content: CONTENT,
  });
  const path = `/integrations/crm/installations/${installationId}`;
  const update: InstalledCrm["update"] = (updateMask, installation, query = "") =>
    busbar.inProject("PATCH", `${path}${query}`, { updateMask, installation });
  return {
    groupRef,
    connectionId,
    installationId,
    update,
    updateContent: (updateMask, content, query) => update(updateMask, { config: { content } }, query),
    patch: (action, changes, objectName = "contacts", which = { installationId }) =>
      busbar.inProject("PATCH", `/integrations/crm/objects/${objectName}/config-content`, {
        action,
        changes,
        ...which,
      }),
    show: async () => omitHealth((await busbar.inProject("GET", path)).body),
  };
}
