/** What the drill "everything broken once" breaks, each at a customer of its own. */
import type { Client } from "pg";
import type { TestBusbar } from "../../harness/busbar.ts";
import type { Sink } from "../../harness/deliveries/sink.ts";

/** What is wrong with a customer; `name` is group, integration and destination. */
export interface Fault {
  name: string;
  what: string;
  provider: "hubspot" | "salesforce" | "keyed";
  /** What the manifest says below `read`. */
  object?: string;
  field?: string;
  /** Object of which a record is created every second. */
  creates?: string;
  /** Reason of the health of the installation. */
  reason: "connection" | "field" | "destination" | "read" | "write";
  /** Surfaces that must not be green beside installation, lists and doctor. */
  also: ("connection" | "destination")[];
  /** Breaks it. */
  act(
    world: World,
    customer: { connectionId: string; refreshToken: string | undefined },
  ): Promise<void> | void;
}

export interface World {
  busbar: TestBusbar;
  client: Client;
  sink: Sink;
  keys: Set<string>;
}

export const FAULTS: Fault[] = [
  {
    name: "wrong-key",
    what: "the key is withdrawn",
    provider: "keyed",
    reason: "connection",
    also: ["connection"],
    act: ({ keys }) => keys.clear(),
  },
  {
    name: "revoked-grant",
    what: "the customer revokes the grant",
    provider: "salesforce",
    object: "account",
    field: "name",
    reason: "connection",
    also: ["connection"],
    act: ({ busbar }) => busbar.sandbox.salesforce.revokeTokens(),
  },
  {
    name: "missing-field",
    what: "a required field is deleted",
    provider: "hubspot",
    object: "contacts",
    field: "city",
    reason: "field",
    also: [],
    act: ({ busbar }) => busbar.sandbox.hubspot.account.hideField("contacts", "city", true),
  },
  {
    name: "dead-receiver",
    what: "the receiver answers 500",
    provider: "hubspot",
    object: "contacts",
    field: "email",
    reason: "destination",
    also: ["destination"],
    act: ({ sink }) => {
      sink.answer = ({ path }, response) =>
        void response.writeHead(path === "/dead-receiver" ? 500 : 200).end();
    },
  },
  {
    name: "disabled-destination",
    what: "the destination is disabled",
    provider: "hubspot",
    object: "contacts",
    field: "email",
    reason: "destination",
    also: ["destination"],
    act: async ({ client }) =>
      void (await client.query(
        "update destinations set disabled_time = now(), disabled_reason = 'every attempt failed' where name = $1",
        ["disabled-destination"],
      )),
  },
  {
    name: "missing-destination",
    what: "the destination is gone",
    provider: "hubspot",
    object: "contacts",
    field: "email",
    reason: "destination",
    also: ["destination"],
    async act({ busbar, client }) {
      const refused = await busbar.inProject("DELETE", "/destinations/missing-destination");
      console.log(`deleting a destination in use: ${refused.status} ${refused.body.detail}`);
      if (refused.status !== 409) throw new Error("a destination in use was deleted");
      // As from a backup of another time.
      await client.query("delete from destinations where name = $1", ["missing-destination"]);
    },
  },
  {
    name: "provider-down",
    what: "the provider answers 503",
    provider: "hubspot",
    object: "companies",
    field: "name",
    reason: "read",
    also: [],
    act: ({ busbar }) =>
      void busbar.sandbox.addFault({
        provider: "hubspot",
        path: "companies",
        status: 503,
        body: "down",
        count: 1e9,
      }),
  },
  {
    name: "broken-creates",
    what: "the provider breaks every create",
    provider: "hubspot",
    creates: "deals",
    reason: "write",
    also: [],
    act: ({ busbar }) =>
      void busbar.sandbox.addFault({
        provider: "hubspot",
        method: "POST",
        path: "deals",
        status: 500,
        body: "broken",
        count: 1e9,
      }),
  },
];

export const manifest = `specVersion: 1.0.0
integrations:
${FAULTS.map(
  ({ name, provider, object, field, creates }) => `  - name: ${name}
    provider: ${provider}
    proxy: { enabled: true }
${
  object === undefined
    ? ""
    : `    read:
      objects:
        - objectName: ${object}
          destination: ${name}
          schedule: "*/10 * * * *"
          enabled: always
          requiredFields: [{ fieldName: ${field} }]
`
}${
    creates === undefined
      ? ""
      : `    write:
      objects:
        - objectName: ${creates}
`
  }`,
).join("")}`;
