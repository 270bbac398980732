/** A builder's page with the components of `@busbar/react`, as the address asks for them. */
import { createElement as element } from "react";
import { createRoot } from "react-dom/client";
import {
  Approvals,
  BusbarProvider,
  Connect,
  FieldMapping,
  InstallationActivity,
  InstallationStatus,
  useConnection,
  useInstallation,
} from "@busbar/react";
import "@busbar/react/styles.css";

const asked = new URLSearchParams(location.search);
const provider = asked.get("provider");
const integration = asked.get("integration");

/** What the components reported to the application. */
window.reported = [];
const tell = (what) => window.reported.push(what);

/** A builder's own component, on the hooks. */
function Summary() {
  const { connection } = useConnection(provider);
  const { installation } = useInstallation(integration);
  return element(
    "p",
    { id: "summary" },
    `${connection ? 1 : 0} connection, ${installation ? 1 : 0} installation`,
  );
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
    provider ? element(Connect, { provider, ...events }) : element(Approvals),
    integration && element(Summary),
    integration && element(FieldMapping, { integration, onSave: ({ id }) => tell(`saved ${id}`) }),
    integration && element(InstallationStatus, { integration, onUninstall: () => tell("uninstalled") }),
    integration && element(InstallationActivity, { integration, count: 5 }),
  );
}

createRoot(document.querySelector("#root")).render(element("main", {}, element(Page)));
