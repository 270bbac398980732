/** GET /healthz: answers as long as the process runs. */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";

export const getHealthz = () =>
  endpoint({
    operationId: "getHealthz",
    tag: "Health",
    summary: "Alive",
    description: "Answers while the process runs, whatever the state of the database.",
    success: {
      status: 200,
      description: "The process answers.",
      schema: Type.Object({ status: Type.Literal("ok", { description: "Always `ok`." }) }),
    },
    handle: async () => ({ status: "ok" as const }),
  });
