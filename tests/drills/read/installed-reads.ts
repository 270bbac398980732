/** The integrations of the drill that read: each object in full, and its changes every ten minutes of the schedule. */
import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { ChildBusbar } from "../../harness/child-busbar.ts";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { OBJECTS, type DrilledObject } from "./customer-account.ts";

const nameIntegration = (provider: string): string => `read-${provider}`;
const nameDestination = (path: string): string => `read${path.replaceAll("/", "-")}`;

const buildManifest = ({ provider, object, field, path }: DrilledObject): string => `
specVersion: 1.0.0
integrations:
  - name: ${nameIntegration(provider)}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          destination: ${nameDestination(path)}
          schedule: "*/10 * * * *"
          enabled: always
          deletedRecords: always
          requiredFields:
            - fieldName: ${field}
          backfill:
            defaultPeriod:
              fullHistory: true
`;

/** Installs for each object; its messages go to the path of the object at `receiverUrl`. */
export async function installReads(child: ChildBusbar, sandbox: Sandbox, receiverUrl: string): Promise<void> {
  for (const drilled of OBJECTS) {
    const { provider, path } = drilled;
    const name = nameDestination(path);
    const metadata = { url: `${receiverUrl}${path}` };
    const made = await child.inProject("POST", "/destinations", { name, type: "webhook", metadata });
    if (made.status !== 201) throw new Error(made.text);
    await connectCustomer(
      { ...child, sandbox },
      {
        provider,
        groupRef: "reader",
        manifest: buildManifest(drilled),
        integration: nameIntegration(provider),
        expiresInSeconds: 86_400,
      },
    );
  }
}

/** Returns the errors of reads that failed. */
export async function listFailedReads(child: ChildBusbar): Promise<string[]> {
  const failed: string[] = [];
  for (const { provider } of OBJECTS) {
    const installations = `/integrations/${nameIntegration(provider)}/installations`;
    for (const { id } of (await child.inProject("GET", installations)).body) {
      const { body } = await child.inProject("GET", `${installations}/${id}/operations?pageSize=1000`);
      for (const { status, result } of body.results) if (status === "failure") failed.push(result);
    }
  }
  return failed;
}
