/** What others published, for tests that stand outside this folder: only below `tests/` are its packages found. */
export { Signature as HubspotSignature } from "@hubspot/api-client";
export { Webhook as StandardWebhook } from "standardwebhooks";
export { Webhook as SvixWebhook } from "svix";
