/** A builder's page: the published UI library as it comes, with what the address asks for. */
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { AmpersandProvider, ConnectProvider, InstallIntegration } from "@amp-labs/react";
import "@amp-labs/react/styles";

const asked = new URLSearchParams(location.search);
const token = asked.get("token");
const options = {
  project: asked.get("project"),
  ...(token ? { getToken: async () => token } : { apiKey: asked.get("apiKey") }),
};

/** What the library reported to the application. */
window.reported = [];

const customer = {
  groupRef: asked.get("groupRef"),
  groupName: "Acme",
  consumerRef: "ada",
  consumerName: "Ada",
};
const integration = asked.get("integration");
const tell = (what) => window.reported.push(what);

const shown = integration
  ? createElement(InstallIntegration, {
      ...customer,
      integration,
      onInstallSuccess: (id) => tell(`installed ${id}`),
      onUpdateSuccess: (id) => tell(`updated ${id}`),
      onUninstallSuccess: (id) => tell(`uninstalled ${id}`),
    })
  : createElement(ConnectProvider, {
      ...customer,
      provider: asked.get("provider"),
      onConnectSuccess: ({ id }) => tell(id),
    });

createRoot(document.querySelector("#root")).render(createElement(AmpersandProvider, { options }, shown));
