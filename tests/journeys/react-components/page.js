/** A builder's page with the components of `@busbar/react`, as the address asks for them. */
import { createElement as element } from "react";
import { createRoot } from "react-dom/client";
import { BusbarProvider, Connect, InstallationStatus, useConnection, useInstallation } from "@busbar/react";
import "@busbar/react/styles.css";

const asked = new URLSearchParams(location.search);
const provider = asked.get("provider");
const integration = asked.get("integration");

/** What the components reported to the application. */
window.reported = [];
const tell = (what) => window.reported.push(what);

/** A builder's own component, on the hooks. */
function Install() {
  const { connection } = useConnection(provider);
  const { installation, install, isLoading } = useInstallation(integration);
  if (!connection || installation || isLoading) return null;
  const content = {
    provider,
    read: { objects: { [asked.get("object")]: { objectName: asked.get("object") } } },
  };
  return element("button", { type: "button", onClick: () => install(content) }, "Install");
}

function Page() {
  const events = {
    onConnect: ({ id }) => tell(`connected ${id}`),
    onDisconnect: () => tell("disconnected"),
  };
  return element(
    BusbarProvider,
    {
      url: process.env.REACT_APP_AMP_SERVER,
      project: "default",
      token: () => asked.get("token"),
      groupName: "Acme",
      consumerName: "Ada",
      refreshSeconds: 1,
    },
    element("h1", {}, "Integrations"),
    element(Connect, { provider, ...events }),
    integration && element(Install),
    integration && element(InstallationStatus, { integration, onUninstall: () => tell("uninstalled") }),
  );
}

createRoot(document.querySelector("#root")).render(element("main", {}, element(Page)));
