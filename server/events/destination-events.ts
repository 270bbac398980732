/** Builds the event for a destination that was disabled after failed deliveries. */
import type { NewEvent } from "./event-types.ts";

export const destinationWebhookDisabled = (destination: {
  id: string;
  projectId: string;
  name: string;
  url: string;
}): NewEvent => ({
  projectId: destination.projectId,
  type: "destination.webhook.disabled",
  data: {
    projectId: destination.projectId,
    destinationId: destination.id,
    destinationName: destination.name,
    url: destination.url,
  },
});
