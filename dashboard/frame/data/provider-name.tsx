/** The name of a provider behind a monogram, which distinguishes rows at a glance. */
import type { JSX } from "react";
import { buildMonogram } from "./monogram.ts";
import style from "./provider-name.module.css";

interface ProviderNameProps {
  /** Its key. */
  provider: string;
  name?: string | undefined;
}

export function ProviderName({ provider, name = provider }: ProviderNameProps): JSX.Element {
  const { letters, hue } = buildMonogram(provider, name);
  // Dark enough for white letters in every hue.
  const color = { background: `hsl(${hue} 45% 30%)` };
  return (
    <span className={style.name}>
      <span className={style.mark} data-letters={letters} style={color} aria-hidden="true" />
      <span className="foreign">{name}</span>
    </span>
  );
}
