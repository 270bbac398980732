/** What the components say, each line replaceable by the builder. `{name}` is filled in. */
export const TEXTS = {
  loading: "Loading…",
  again: "Try again",
  connect: "Connect {provider}",
  connecting: "Waiting for {provider}…",
  cancel: "Cancel",
  connected: "Connected",
  connectedTo: "Connected to {workspace}",
  unverified: "{provider} cannot be reached to check the connection. It is tried again.",
  refused: "{provider} does not accept this connection any more. Connect it again.",
  reconnect: "Reconnect",
  save: "Save",
  disconnect: "Disconnect",
  confirmDisconnect: "Disconnect {provider}?",
  keep: "Keep",
  closed: "The window was closed before {provider} was connected.",
  blocked:
    "Your browser has blocked the window of {provider}. Allow pop-up windows for this page, and try again.",
  timedOut: "{provider} was not connected in time.",
  unavailable: "{provider} cannot be connected here: {reason}",
  apiKey: "API key",
  username: "User name",
  password: "Password",
  clientId: "Client ID",
  clientSecret: "Client secret",
  scopes: "Scopes, separated by spaces",
  help: "Where to find it",
  status: "Status",
  notInstalled: "Not set up yet.",
  healthy: "Working",
  unhealthy: "Needs attention",
  since: "since {time}",
  destinationReason: "The application cannot receive data at the moment.",
  pausedByApi: "{object} is paused.",
  pausedByBusbar: "{object} is paused after repeated failures.",
  uninstall: "Remove integration",
  confirmUninstall: "Remove this integration? No more data is exchanged with {provider}.",
  confirmYes: "Yes, remove",
};

export type Texts = typeof TEXTS;

/** Returns the text with its `{names}` replaced. */
export const fill = (text: string, values: Record<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
