/** Writes what to do about a fault of a project: commands that can be run as they are printed. */
import { quoteWord } from "../output/shell-word.ts";

/** What is unhealthy: the installation's id and group, what the reason names, and its words. */
export interface Unhealthy {
  id: string;
  group: string;
  type: string;
  name: string;
  detail: string;
}

/** Returns what to do about a reason of an unhealthy installation. */
export const cureReason = (unhealthy: Unhealthy): string =>
  REMEDIES[unhealthy.type]?.(unhealthy) ?? `Look with: busbar get installation ${quoteWord(unhealthy.id)}`;

const REMEDIES: Record<string, (unhealthy: Unhealthy) => string> = {
  connection: ({ name, group }) => reconnect(name, group),
  destination: ({ name, detail }) => (isMissing(detail) ? createDestination(name) : testDestination(name)),
  field: ({ name, group }) => `Map another field in place of ${name}, or ask ${group} to make it visible.`,
  object: ({ detail, group }) =>
    isOfSchema(detail)
      ? `Let ${group} give the connected app access to its fields, or take watchSchema out of the manifest.`
      : `Look with: busbar operations --group ${quoteWord(group)} --status failure`,
  read: (unhealthy) => lookAtOperation(unhealthy),
  write: (unhealthy) => lookAtOperation(unhealthy, " --status in_progress"),
  subscription: ({ id }) => `Look with: busbar list subscriptions --installation ${quoteWord(id)}`,
};

export const isMissing = (detail: string): boolean => detail.startsWith("There is no destination");

/** A check of a schema is no operation. */
const isOfSchema = (detail: string): boolean => detail.startsWith("Its fields cannot be read");

const createDestination = (name: string): string =>
  `Create it: busbar create destination ${quoteWord(name)} --webhook <url>. What waits is sent then.`;

const testDestination = (name: string): string => `Look with: busbar test destination ${quoteWord(name)}`;

export const resendWaiting = (name: string): string =>
  `${testDestination(name)}. Then: busbar resend --destination ${quoteWord(name)} --undelivered`;

export const enableDestination = (name: string): string =>
  `Fix the receiver, then: busbar rotate destination ${quoteWord(name)}. A new address enables it, too: busbar update destination ${quoteWord(name)} --webhook <url>. ` +
  `What failed meanwhile is sent only by: busbar resend --destination ${quoteWord(name)} --undelivered`;

/** The words of a reason name the operation where there is one. */
function lookAtOperation({ detail, group }: Unhealthy, filter = ""): string {
  const operation = /\boperation ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b/.exec(detail)?.[1];
  return operation
    ? `Look with: busbar logs ${operation}`
    : `Look with: busbar operations --group ${quoteWord(group)}${filter}`;
}

export const reconnect = (provider: string, group: string): string =>
  `The customer has to connect again: busbar connect ${quoteWord(provider)} --group ${quoteWord(group)}`;

export const lookAtApp = (provider: string): string =>
  `Look with: busbar get provider-app ${quoteWord(provider)}. The customer need not connect again.`;

export const comparePushes = (integration: string): string =>
  `Compare the address with: busbar api GET ${quoteWord(`/v1/projects/{project}/integrations/${integration}/subscribe-setup`)}`;
