/** The parts that components are made of: a card, notices, fields, a question before what cannot be undone. */
import { BusbarError } from "@busbar/client";
import {
  useEffect,
  useId,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type FormEvent,
  type ReactNode,
} from "react";
import { useBusbar } from "./busbar-provider.js";
import type { CredentialField } from "./credential-fields.js";
import type { Texts } from "./texts.js";

/** A section with a heading. `status` is shown beside it and announced when it changes. */
export function Card({
  title,
  status,
  tone,
  isBusy = false,
  children,
}: {
  title: string;
  status?: string | undefined;
  tone?: "good" | "bad" | undefined;
  isBusy?: boolean;
  children?: ReactNode;
}): ReactNode {
  const id = useId();
  const Heading = `h${useBusbar().headingLevel}` as "h2";
  return (
    <section className="busbar" aria-labelledby={id} aria-busy={isBusy}>
      <header className="busbar-header">
        <Heading className="busbar-title" id={id}>
          {title}
        </Heading>
        <span role="status" className={`busbar-status ${tone ? `busbar-${tone}` : ""}`}>
          {status}
        </span>
      </header>
      {children}
    </section>
  );
}

export function Button({
  kind = "plain",
  ...more
}: ButtonHTMLAttributes<HTMLButtonElement> & { kind?: "main" | "plain" | "danger" }): ReactNode {
  return <button type="button" {...more} className={`busbar-button busbar-${kind}`} />;
}

/** Says why something failed, as soon as there is a reason. */
export function Failure({ error }: { error: unknown }): ReactNode {
  return (
    <div role="alert" className="busbar-failure">
      {error === undefined ? null : explain(error)}
    </div>
  );
}

/** Returns what to tell the customer about an error. */
function explain(error: unknown): string {
  if (error instanceof BusbarError) return String(error.problem.detail ?? error.message);
  return error instanceof Error ? error.message : String(error);
}

/** A button that asks before it acts. */
export function Confirm({
  button,
  question,
  act,
}: {
  button: string;
  question: string;
  act: () => Promise<void>;
}): ReactNode {
  const { say } = useBusbar();
  const [isAsking, setAsking] = useState(false);
  const { run, isRunning, error } = useAct(act);
  const keep = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (isAsking) keep.current?.focus();
  }, [isAsking]);
  if (!isAsking) return <Button onClick={() => setAsking(true)}>{button}</Button>;
  return (
    <div role="group" aria-labelledby={id} className="busbar-confirm">
      <p id={id}>{question}</p>
      <Button kind="danger" disabled={isRunning} onClick={() => void run()}>
        {say("confirmYes")}
      </Button>
      <button
        type="button"
        className="busbar-button busbar-plain"
        ref={keep}
        onClick={() => setAsking(false)}
      >
        {say("keep")}
      </button>
      <Failure error={error} />
    </div>
  );
}

/** Returns a function that runs `act`, and how it goes. */
export function useAct(act: () => Promise<unknown>): {
  run: () => Promise<void>;
  isRunning: boolean;
  error: unknown;
} {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>({ isRunning: false });
  return {
    isRunning: state.isRunning,
    error: state.error,
    async run() {
      setState({ isRunning: true });
      try {
        await act();
        setState({ isRunning: false });
      } catch (error) {
        setState({ isRunning: false, error });
      }
    },
  };
}

/** A form of fields whose values are handed to `submit` by name. */
export function FieldsForm({
  fields,
  isBusy,
  submit,
  children,
}: {
  fields: CredentialField[];
  isBusy: boolean;
  submit: (values: Record<string, string>) => void;
  children: ReactNode;
}): ReactNode {
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
    submit(Object.fromEntries(values));
  };
  return (
    <form className="busbar-form" onSubmit={onSubmit} aria-busy={isBusy}>
      {fields.map((field) => (
        <Field key={field.name} field={field} />
      ))}
      {children}
    </form>
  );
}

function Field({ field }: { field: CredentialField }): ReactNode {
  const { say } = useBusbar();
  const id = useId();
  const { name, text, label = text ? say(text) : name, prompt, docsUrl, options, defaultValue } = field;
  const given = {
    id,
    name,
    required: field.isRequired,
    className: "busbar-input",
    ...(prompt && { "aria-describedby": `${id}-prompt` }),
    ...(defaultValue && { defaultValue }),
  };
  return (
    <div className="busbar-field">
      <label htmlFor={id}>{label}</label>
      {options ? (
        <select {...given}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input {...given} type={field.isSecret ? "password" : "text"} autoComplete="off" spellCheck={false} />
      )}
      {prompt && (
        <p className="busbar-soft" id={`${id}-prompt`}>
          {prompt}
        </p>
      )}
      {docsUrl && (
        <a
          href={docsUrl}
          target="_blank"
          rel="noreferrer"
          className="busbar-soft"
          aria-label={`${say("help")}: ${label}`}
        >
          {say("help")}
        </a>
      )}
    </div>
  );
}

/** While the first answers come, or when they do not. Undefined when `isReady`. */
export function useWaiting(
  state: { isLoading: boolean; error?: unknown; refresh: () => Promise<void> },
  isReady: boolean,
): ReactNode | undefined {
  const { say, answers } = useBusbar();
  if (isReady) return undefined;
  if (state.isLoading || state.error === undefined) return <p className="busbar-soft">{say("loading")}</p>;
  return (
    <>
      <Failure error={state.error} />
      <Button onClick={() => void answers.invalidate("")}>{say("again")}</Button>
    </>
  );
}

export type Say = (text: keyof Texts, values?: Record<string, string>) => string;
