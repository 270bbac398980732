/** What a new user does first: connects a customer at the simulated HubSpot and calls its API through the proxy. */
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { openClient } from "../../tests/harness/client.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { until } from "../../tests/harness/until.ts";

export interface Address {
  apiKey: string;
  projectId: string;
  base: string;
  proxy: string;
}

const READY_WITHIN_MS = 120_000;

/** Throws an error if a step is refused. */
export async function sendFirstCall(
  { apiKey, projectId, base, proxy }: Address,
  sandbox: Sandbox,
): Promise<Customer> {
  const client = openClient({ apiKey, projectId, urls: () => ({ base, proxy }) });
  const customer = await connectCustomer(
    { ...client, sandbox },
    { provider: "hubspot", objects: ["companies"] },
  );
  const { status, text } = await customer.proxied("/crm/v3/objects/companies");
  if (status !== 200) throw new Error(`the proxy answered ${status}: ${text}`);
  return customer;
}

export async function untilReady(origin: string): Promise<void> {
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, READY_WITHIN_MS);
}

/** Returns the id of the first project. */
export async function findProject(origin: string, apiKey: string): Promise<string> {
  const answer = await fetch(`${origin}/v1/projects`, { headers: { "x-api-key": apiKey } });
  const [project] = (await answer.json()) as { id: string }[];
  return project?.id ?? "";
}
