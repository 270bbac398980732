/** Kinds of settings: each reads variables of the environment with a check, and says what the guide says about them. */
import { isIP } from "node:net";
import { StartError } from "./errors.ts";

export type Environment = Record<string, string | undefined>;

/** Description in the guide and in `.env.example`. */
export interface Variable {
  name: string;
  /** Default value; undefined: none. In words, it is for the guide only. */
  fallback?: string | undefined;
  /** Sentences in Markdown. Undefined: those of the variable before are about this one, too. */
  about?: string | undefined;
  /** The value in `.env.example`, where it is not the fallback. */
  example?: string | undefined;
}

/** A value that is read from one variable or from several. `read` throws `StartError` for a wrong one. */
export interface Setting<T> {
  variables: Variable[];
  read(env: Environment): T;
}

/** The values of a table of settings, which may be in groups. */
export type Values<T> = T extends Setting<infer V> ? V : { [K in keyof T]: Values<T[K]> };

export const buildWrongValue = (name: string, expectation: string): StartError =>
  new StartError(`${name} ${expectation}`);

type About = string | undefined;

/** A setting of one variable. `parse` gets no empty value, and the name for its error; `fallback` is the value without one. */
export const setting = <T, F>(
  variable: Variable,
  parse: (value: string, name: string, env: Environment) => T,
  fallback: F,
): Setting<T | F> => ({
  variables: [variable],
  read: (env) => {
    const value = env[variable.name];
    return value ? parse(value, variable.name, env) : fallback;
  },
});

/** Returns undefined if it is not set. */
export const text = (
  variable: Variable,
  accepts: (value: string) => boolean,
  expected: string,
): Setting<string | undefined> =>
  setting(variable, (value) => checkText(variable.name, value, { accepts, expected }), undefined);

export const textOr = (
  fallback: string,
  variable: Variable,
  accepts: (value: string) => boolean,
  expected: string,
): Setting<string> =>
  setting(
    { fallback, ...variable },
    (value) => checkText(variable.name, value, { accepts, expected }),
    fallback,
  );

/** The value may be a secret (a password in DATABASE_URL), so the message does not contain it. */
export function checkText(
  name: string,
  value: string,
  { accepts, expected }: { accepts: (value: string) => boolean; expected: string },
): string {
  if (!accepts(value)) throw buildWrongValue(name, `must be ${expected}`);
  return value;
}

interface Bounds {
  fallback: number;
  min: number;
  max?: number;
}

export const integer = (name: string, about: About, bounds: Bounds): Setting<number> =>
  setting(
    { name, about, fallback: String(bounds.fallback) },
    (value) => parseInteger(name, value, bounds),
    bounds.fallback,
  );

export function parseInteger(
  name: string,
  value: string,
  { min, max = 2_147_483_647 }: Omit<Bounds, "fallback">,
): number {
  const parsed = Number(value);
  if (!/^\d+$/.test(value) || parsed < min || parsed > max)
    throw buildWrongValue(name, `must be a whole number from ${min} to ${max}, not "${value}"`);
  return parsed;
}

/** Upper limits: beyond them timers and dates overflow, or the value is a mistake. */
export const HOUR_SECONDS = 3_600;
const YEAR_SECONDS = 31_536_000;
export const YEAR_HOURS = 8_760;
export const CENTURY_DAYS = 36_500;

export const positive = (
  name: string,
  about: About,
  { fallback, max }: { fallback: number; max: number },
): Setting<number> =>
  setting(
    { name, about, fallback: String(fallback) },
    (value) => {
      const parsed = Number(value);
      if (!(parsed > 0 && parsed <= max))
        throw buildWrongValue(name, `must be a number above 0 and at most ${max}, not "${value}"`);
      return parsed;
    },
    fallback,
  );

export function parseNumber(name: string, value: string, { min, max }: { min: number; max: number }): number {
  const parsed = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || parsed < min || parsed > max)
    throw buildWrongValue(name, `must be a number from ${min} to ${max}, not "${value}"`);
  return parsed;
}

export const boolean = (name: string, about: About, fallback: boolean): Setting<boolean> =>
  setting(
    { name, about, fallback: String(fallback) },
    (value) => {
      if (value !== "true" && value !== "false")
        throw buildWrongValue(name, `must be true or false, not "${value}"`);
      return value === "true";
    },
    fallback,
  );

/** A list of seconds. */
export const seconds = (name: string, about: About, fallback: string): Setting<number[]> => {
  const parse = (list: string): number[] =>
    list.split(",").map((part) => {
      const parsed = Number(part.trim());
      if (part.trim() === "" || !(parsed >= 0 && parsed <= YEAR_SECONDS)) {
        throw buildWrongValue(
          name,
          `must be a comma-separated list of seconds up to ${YEAR_SECONDS}, such as ${fallback}; "${part}" is not valid`,
        );
      }
      return parsed;
    });
  return setting({ name, about, fallback }, parse, parse(fallback));
};

export const origin = (variable: Variable): Setting<string | undefined> =>
  setting(
    variable,
    (value) => {
      const url = URL.parse(value);
      if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search || url.username) {
        throw buildWrongValue(
          variable.name,
          `must be an origin such as https://busbar.example.com, without a path, not "${value}"`,
        );
      }
      return url.origin;
    },
    undefined,
  );

export const isHost = (value: string): boolean =>
  isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value);

/** A list of addresses and CIDRs, and of host names if they may be listed. */
export const networks = (variable: Variable, may: { hosts: boolean }): Setting<string[]> =>
  setting(variable, (value) => parseNetworks(variable.name, value, may), []);

function parseNetworks(name: string, value: string, may: { hosts: boolean }): string[] {
  const parts = value.split(",").map((part) => part.trim().toLowerCase());
  return parts.filter(Boolean).map((part) => {
    const [address = "", bits] = part.split("/");
    const bare = address.replace(/^\[(.*)\]$/, "$1");
    const family = isIP(bare);
    const bitsFit = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
    const isName = may.hosts && bits === undefined && isHost(bare);
    if (!isName && (!family || !bitsFit)) {
      const what = may.hosts ? "hosts or CIDRs, with no http:// and no port" : "IP addresses or CIDRs";
      throw buildWrongValue(name, `must list ${what}; "${part}" is neither`);
    }
    return bits === undefined ? bare : `${bare}/${bits}`;
  });
}
