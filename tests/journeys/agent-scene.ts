/** A Busbar with two customers and an agent whose key is not that of whoever decides: for journeys about approvals. */
import assert from "node:assert/strict";
import { openAgent } from "../harness/agent-client.ts";
import { openTestBusbar, type Answer, type TestBusbar, type TestBusbarOptions } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: hook
          requiredFields:
            - fieldName: email
            - { fieldName: lastname, mapToName: familyName }
            - { fieldName: firstname, mapToName: givenName }
    write:
      objects: [{ objectName: contacts, inheritMapping: true }]
    proxy: { enabled: true }
`;
const content = {
  write: { objects: { contacts: { objectName: "contacts", deletionSettings: { enabled: true } } } },
};
export const WITH_DELETION = { default: { delete: "ask" } };

/** A Busbar with the customers `acme` and `globex`, an agent with a key that only writes and reads, and people. */
export async function openScene(
  env: Record<string, string> = {},
  options: Pick<TestBusbarOptions, "hasTwoSides" | "isDivided" | "shards"> = {},
  /** Called before there is a customer. */
  prepare: (busbar: TestBusbar) => Promise<unknown> = async () => {},
) {
  const busbar = await openTestBusbar({ ...options, env });
  await prepare(busbar);
  busbar.sandbox.hubspot.setLimits("off");
  for (const groupRef of ["acme", "globex"]) {
    const wanted = {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "crm",
      content,
      groupRef,
    } as const;
    await connectCustomer(busbar, wanted);
  }
  const made = await busbar.inProject("POST", "/api-keys", {
    label: "agent",
    scopes: ["read", "write", "proxy"],
  });
  const credential: string = made.body.key;
  const agent = await openAgent(busbar, { credential });
  const succeed = async (tool: string, args: Record<string, unknown> = {}): Promise<Answer["body"]> => {
    const { isError, content: result } = await agent.call(tool, args);
    assert.equal(isError, false, JSON.stringify(result));
    return result;
  };
  const setPolicy = async (policy: object): Promise<void> => {
    const answer = await busbar.inProject("PUT", "/agent-policy", policy);
    assert.equal(answer.status, 200, answer.text);
  };
  const ask = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    const { status, approval } = await succeed(tool, { object: "person", ...args });
    assert.equal(status, "approval_required");
    return approval.approvalId;
  };
  const askCreate = (email: string) => ask("create_record", { record: { email, familyName: "Asked" } });
  const create = async (email: string, more: object = {}): Promise<string> => {
    const record = { email, familyName: "King", givenName: "Ada", ...more };
    const written = await busbar.write("crm", "person", { groupRef: "acme", type: "create", record });
    assert.equal(written.status, 200, written.text);
    return written.body.result.recordId;
  };
  const decide = (id: string, headers?: Record<string, string>, body: object = { decision: "approve" }) =>
    busbar.inProject("POST", `/approvals/${id}:decide`, body, headers);
  const get = async (id: string) => (await busbar.inProject("GET", `/approvals/${id}`)).body;
  const ended = (id: string) =>
    until(async () => {
      const approval = await get(id);
      return ["pending", "approved"].includes(approval.status) ? undefined : approval;
    });
  const contacts = (text: string) =>
    busbar.sandbox.records("hubspot", "contacts").filter((row) => JSON.stringify(row).includes(text));
  return {
    busbar,
    agent,
    credential,
    succeed,
    setPolicy,
    ask,
    askCreate,
    create,
    decide,
    get,
    ended,
    contacts,
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;
