/** Creates a second project in a Busbar, and returns a client of it. */
import type { TestBusbar } from "./busbar.ts";

/** Opens another project of the same organisation: its calls use its own key and name. */
export async function secondProject(busbar: TestBusbar): Promise<TestBusbar> {
  const orgId = busbar.server.bootstrap?.orgId;
  await busbar.call("POST", "/v1/projects", { name: "second", appName: "Second", orgId });
  const first = await busbar.call("POST", "/v1/projects/second/api-keys", { label: "first" });
  // Its own key made it: the first one names its maker, a key of the other project.
  const { body } = await busbar.call(
    "POST",
    "/v1/projects/second/api-keys",
    { label: "second" },
    { "x-api-key": first.body.key },
  );
  await busbar.call("DELETE", `/v1/projects/second/api-keys/${first.body.id}`, undefined, {
    "x-api-key": body.key,
  });
  const call: TestBusbar["call"] = (method, path, sent, headers) =>
    busbar.call(method, path.replace("/projects/default/", "/projects/second/"), sent, {
      "x-api-key": body.key,
      ...headers,
    });
  return {
    ...busbar,
    call,
    inProject: (method, path, sent) => call(method, `/v1/projects/default${path}`, sent),
    write: (integration, object, sent) =>
      call("POST", `/write/v1/projects/default/integrations/${integration}/objects/${object}`, sent),
  };
}
