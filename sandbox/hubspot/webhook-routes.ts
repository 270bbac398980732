// Endpoints for the settings and subscriptions of a HubSpot app's webhooks, and the sandbox's controls of them.

import { asData, asList, asText, isData, parseJson, type Data } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Webhooks, WebhookEvent, WebhookSettings, WebhookSubscription } from "./webhooks.ts";

export function addWebhookControls(router: Router, webhooks: Webhooks): void {
  router.add("POST", "/sandbox/hubspot/webhooks", (exchange) => {
    webhooks.set(readSettings(asData(parseJson(exchange.body))));
    return { status: 200, body: showSettings(webhooks) };
  });
  router.add("GET", "/sandbox/hubspot/webhooks", () => ({ status: 200, body: showSettings(webhooks) }));
  router.add("POST", "/sandbox/hubspot/webhooks/push", (exchange) => {
    const events = asList(asData(parseJson(exchange.body))["events"]).filter((event): event is WebhookEvent =>
      isData(event),
    );
    webhooks.push(events);
    return { status: 202, body: { events: events.length } };
  });
}

function showSettings(webhooks: Webhooks): Data {
  const { clientSecret: _secret, ...settings } = webhooks.settings();
  return { ...settings, open: webhooks.open, log: webhooks.log };
}

const NUMBERS = ["batchDelayMs", "retryMs", "attempts", "timeoutMs", "timeSkewMs"] as const;
const FLAGS = ["reorder", "duplicate", "badSignature", "oldNames"] as const;
const TEXTS = ["targetUrl", "clientSecret"] as const;

function readSettings(body: Data): Partial<WebhookSettings> {
  const settings: Partial<WebhookSettings> = {};
  for (const [name, value] of Object.entries(body)) {
    const number = NUMBERS.find((one) => one === name);
    const flag = FLAGS.find((one) => one === name);
    const text = TEXTS.find((one) => one === name);
    if (number !== undefined && typeof value === "number") settings[number] = value;
    else if (flag !== undefined && typeof value === "boolean") settings[flag] = value;
    else if (text !== undefined && typeof value === "string") settings[text] = value;
    else if (name === "subscriptions" && Array.isArray(value))
      settings.subscriptions = value.map(readSubscription);
    else throw new RangeError(`${name} is no setting of webhooks, or has a wrong type`);
  }
  return settings;
}

/** Reads a subscription, also in the form of a `webhooks-hsmeta.json`. */
function readSubscription(input: unknown, index: number): WebhookSubscription {
  const { subscriptionType, objectType, propertyName, active } = asData(input);
  const type = asText(subscriptionType);
  if (type === undefined) throw new RangeError(`subscriptions[${index}].subscriptionType is missing`);
  return {
    id: 70_001 + index,
    subscriptionType: type,
    active: active !== false,
    ...(asText(objectType) === undefined ? {} : { objectType: asText(objectType) ?? "" }),
    ...(asText(propertyName) === undefined ? {} : { propertyName: asText(propertyName) ?? "" }),
  };
}
