/** Creates a topic with its routes, and before it the webhook of the form; if the topic is refused, the webhook is deleted. */
import type { Schemas } from "../../api.gen.ts";
import { useChange } from "../../api/queries.ts";

type Body = Schemas["CreateTopicRequest"];

export interface Webhook {
  name: string;
  url: string;
}

interface CreateTopic {
  /** Rejects if something was refused. */
  create: (project: string, body: Body, webhook: Webhook | undefined) => Promise<Schemas["Topic"]>;
  busy: boolean;
  /** The refusal of the topic, of the webhook, and of the webhook's deletion. */
  errors: Readonly<Record<"topic" | "webhook" | "removal", Error | null>>;
}

export function useCreateTopic(): CreateTopic {
  const topic = useChange("createTopic", { forget: ["listTopics", "listDestinations"] });
  const webhook = useChange("createDestination");
  const removal = useChange("deleteDestination", { forget: ["listDestinations"] });
  const create: CreateTopic["create"] = async (projectIdOrName, body, given) => {
    for (const change of [topic, webhook, removal]) change.reset();
    if (!given) return topic.mutateAsync({ projectIdOrName, body });
    const { id } = await webhook.mutateAsync({
      projectIdOrName,
      body: { name: given.name, type: "webhook", metadata: { url: given.url } },
    });
    const destinationIds = [...(body.destinationIds ?? []), id];
    try {
      return await topic.mutateAsync({ projectIdOrName, body: { ...body, destinationIds } });
    } catch (refusal) {
      await removal.mutateAsync({ projectIdOrName, destination: id });
      throw refusal;
    }
  };
  return {
    create,
    busy: topic.isPending || webhook.isPending || removal.isPending,
    errors: { topic: topic.error, webhook: webhook.error, removal: removal.error },
  };
}
