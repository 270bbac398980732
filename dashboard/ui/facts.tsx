/** Names and values of one thing, in one or two columns. */
import type { JSX, ReactNode } from "react";
import classes from "./facts.module.css";

/** A value of undefined, or an empty text, leaves its line out. */
export const Facts = ({ facts }: { facts: Readonly<Record<string, ReactNode>> }): JSX.Element => (
  <dl className={classes["facts"]}>
    {Object.entries(facts)
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="foreign">{value}</dd>
        </div>
      ))}
  </dl>
);
