/** Creates a topic with its routes, and before it the webhook of the form; if a part is refused, nothing remains. */
import { useState } from "react";
import type { Schemas } from "../../api.gen.ts";
import { call } from "../../api/call.ts";

type Webhook = { name: string; url: string };
type Body = Schemas["CreateTopicRequest"];

interface CreateTopic {
  /** Returns undefined if something was refused; `error` tells what. */
  create: (
    project: string,
    body: Body,
    webhook: Webhook | undefined,
  ) => Promise<Schemas["Topic"] | undefined>;
  busy: boolean;
  error: Error | null;
}

export function useCreateTopic(): CreateTopic {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const create: CreateTopic["create"] = async (project, body, webhook) => {
    setBusy(true);
    setError(null);
    try {
      return await createTopic(project, body, webhook);
    } catch (refusal) {
      setError(refusal instanceof Error ? refusal : new Error(String(refusal)));
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return { create, busy, error };
}

async function createTopic(
  projectIdOrName: string,
  body: Body,
  webhook: Webhook | undefined,
): Promise<Schemas["Topic"]> {
  if (!webhook) return call("createTopic", { projectIdOrName, body });
  const { id } = await call("createDestination", {
    projectIdOrName,
    body: { name: webhook.name, type: "webhook", metadata: { url: webhook.url } },
  });
  try {
    const destinationIds = [...(body.destinationIds ?? []), id];
    return await call("createTopic", { projectIdOrName, body: { ...body, destinationIds } });
  } catch (refusal) {
    await call("deleteDestination", { projectIdOrName, destination: id });
    throw refusal;
  }
}
