/** Calls the operation of event files, with a token like those in messages. */
import { buildEventFileUrl } from "../../deliver/event-files.ts";
import { Sealer } from "../../../ground/seal.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["deliveries"],
  async run({ call, facts }) {
    const sealer = new Sealer([{ id: "test", secret: Buffer.alloc(32, 7) }]);
    const url = buildEventFileUrl(sealer, "", { eventId: facts.deliveryId, member: facts.eventMember });
    await call("getEventFile", { path: { token: url.split("/").at(-1) ?? "" } });
  },
};
