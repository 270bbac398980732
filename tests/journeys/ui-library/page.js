/** A builder's page: the published UI library as it comes, with what the address asks for. */
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { AmpersandProvider, ConnectProvider } from "@amp-labs/react";
import "@amp-labs/react/styles";

const asked = new URLSearchParams(location.search);
const token = asked.get("token");
const options = {
  project: asked.get("project"),
  ...(token ? { getToken: async () => token } : { apiKey: asked.get("apiKey") }),
};

/** What the library told the application. */
window.told = [];

const connect = createElement(ConnectProvider, {
  provider: asked.get("provider"),
  groupRef: asked.get("groupRef"),
  groupName: "Acme",
  consumerRef: "ada",
  consumerName: "Ada",
  onConnectSuccess: ({ id }) => window.told.push(id),
});

createRoot(document.querySelector("#root")).render(createElement(AmpersandProvider, { options }, connect));
