/** Fills a project with what the pages show: customers, operations that went well and badly, topics, deliveries. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openAgent } from "../harness/agent-client.ts";
import { connectCustomer, type Customer } from "../harness/connect-customer.ts";
import type { TestBusbar } from "../harness/busbar.ts";

/** A name that tests layout and escaping: markup, a change of direction, and no place to break. */
const FOREIGN_NAME = `<img src=x onerror=alert(1)> \u202Eשלום GmbH & Söhne-${"x".repeat(40)}`;

interface Filled {
  customers: Customer[];
  receiver: Server;
}

export async function fillProject(server: TestBusbar): Promise<Filled> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === "/broken" ? 500 : 200).end();
  });
  receiver.unref();
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  for (const name of ["my-app", "broken"]) {
    const metadata = { url: `http://127.0.0.1:${port}/${name}` };
    await createOne(server.inProject("POST", "/destinations", { name, type: "webhook", metadata }));
  }
  const topic = await createOne(server.inProject("POST", "/topics", { name: "writes" }));
  await createOne(
    server.inProject("POST", "/notification-event-topic-routes", {
      topicId: topic,
      eventType: "write.async.done",
    }),
  );
  for (const destinationId of await listDestinationIds(server))
    await createOne(server.inProject("POST", "/topic-destination-routes", { topicId: topic, destinationId }));
  await createOne(server.inProject("POST", "/groups", { groupRef: "foreign", groupName: FOREIGN_NAME }));
  const customers: Customer[] = [];
  for (const groupRef of ["acme", "foreign"])
    customers.push(
      await connectCustomer(server, {
        provider: "hubspot",
        objects: ["contacts"],
        groupRef,
        skipSampling: true,
      }),
    );
  for (const customer of customers) await write(customer);
  await ask(server);
  return { customers, receiver };
}

async function write(customer: Customer): Promise<void> {
  const contact = (email: string) => ({ record: { email, firstname: "Ada" } });
  await customer.write("contacts", { type: "create", ...contact(`${customer.groupRef}@example.com`) });
  await customer.write("contacts", { type: "update", record: { id: "404404", email: "nobody@example.com" } });
  await customer.write("contacts", {
    mode: "asynchronous",
    type: "create",
    ...contact(`later-${customer.groupRef}@example.com`),
  });
  await customer.proxied("/crm/v3/objects/contacts?limit=1");
}

/** An agent asks for a decision about a record of the first customer. */
async function ask(server: TestBusbar): Promise<void> {
  const { body } = await server.inProject("POST", "/api-keys", { label: "agent", scopes: ["write"] });
  const agent = await openAgent(server, { credential: body.key });
  const record = { email: "asked@example.com", firstname: FOREIGN_NAME };
  const { content } = await agent.call("create_record", { object: "contacts", record });
  if (content.status !== "approval_required") throw new Error(JSON.stringify(content));
  await agent.close();
}

async function createOne(answer: ReturnType<TestBusbar["call"]>): Promise<string> {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(text);
  return body.id ?? "";
}

const listDestinationIds = async (server: TestBusbar): Promise<string[]> =>
  (await server.inProject("GET", "/destinations")).body.map(({ id }: { id: string }) => id);
