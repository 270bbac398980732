/** What all components below it share: the client of the customer, the answers, texts. */
import { Busbar } from "@busbar/client";
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { Answers, LOADING, type Answer } from "./answers.js";
import { keepToken, readCustomer, type Customer } from "./customer-token.js";
import { fill, TEXTS, type Texts } from "./texts.js";

export interface BusbarProviderProps {
  /** Address of your Busbar, for example `https://busbar.example.com`. No other server is called. */
  url: string;
  /** Id or name of the project. */
  project: string;
  /** Fetches a customer's token from your server, which signs it with `signCustomerToken`. Called again before the token expires. */
  token: () => string | Promise<string>;
  /** Names of customer and person, shown at the consent and in the dashboard. */
  groupName?: string;
  consumerName?: string;
  /** Replaces texts of the components, for example by another language. */
  texts?: Partial<Texts>;
  /** Level of the components' headings (default 2). */
  headingLevel?: 2 | 3 | 4 | 5 | 6;
  /** Seconds after which what is shown is asked for again, while the page is visible (default 30). */
  refreshSeconds?: number;
  children?: ReactNode;
}

interface Shared {
  client: Busbar;
  project: string;
  answers: Answers;
  /** Returns whom the token is for. */
  findCustomer: () => Promise<Customer>;
  names: { groupName?: string; consumerName?: string };
  say: (text: keyof Texts, values?: Record<string, string>) => string;
  headingLevel: 2 | 3 | 4 | 5 | 6;
}

const Context = createContext<Shared | undefined>(undefined);

/** Connects the components below it to your Busbar, for the customer of the token. Give it a `key` if the page changes customers. */
export function BusbarProvider(props: BusbarProviderProps): ReactNode {
  const { url, project, token, groupName, consumerName, texts, children } = props;
  const { headingLevel = 2, refreshSeconds = 30 } = props;
  // Builders write the function inline, so that it is another one at each rendering.
  const latest = useRef(token);
  useEffect(() => void (latest.current = token), [token]);
  const made = useMemo(() => {
    // oxlint-disable-next-line react/refs -- read when a request is sent
    const keptToken = keepToken(() => latest.current());
    const findCustomer = async () => readCustomer(await keptToken());
    return { client: new Busbar({ url, project, token: keptToken }), findCustomer, answers: new Answers() };
  }, [url, project]);
  useRefreshing(made.answers, refreshSeconds);
  const shared = useMemo<Shared>(() => {
    const all = { ...TEXTS, ...texts };
    return {
      ...made,
      project,
      headingLevel,
      names: { ...(groupName && { groupName }), ...(consumerName && { consumerName }) },
      say: (text, values = {}) => fill(all[text], values),
    };
  }, [made, project, headingLevel, groupName, consumerName, texts]);
  return <Context.Provider value={shared}>{children}</Context.Provider>;
}

/** Returns what the provider above shares: `client` calls Busbar as the customer. */
export function useBusbar(): Shared {
  const shared = useContext(Context);
  if (!shared) throw new Error("Put this component into a <BusbarProvider>.");
  return shared;
}

/** Asks for everything that is shown again: when the customer comes back to the page, and now and then. */
function useRefreshing(answers: Answers, seconds: number): void {
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === "visible") answers.refresh();
    };
    const timer = setInterval(refresh, seconds * 1_000);
    addEventListener("focus", refresh);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", refresh);
    };
  }, [answers, seconds]);
}

/** Returns the answer of `key`, shared with all components; `load` is called when it is asked for. Without a key, nothing is asked. */
export function useAnswer<Value>(key: string | undefined, load: () => Promise<Value>): Answer<Value> {
  const { answers } = useBusbar();
  const latest = useRef(load);
  useEffect(() => void (latest.current = load));
  const subscribe = useCallback(
    (listener: () => void) =>
      key === undefined ? () => {} : answers.subscribe(key, () => latest.current(), listener),
    [answers, key],
  );
  const find = () => (key === undefined ? LOADING : (answers.find(key) as Answer<Value>));
  return useSyncExternalStore(subscribe, find, () => LOADING);
}
