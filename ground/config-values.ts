/** Reads values of the environment, each with a check; a wrong one stops the start with one line that names the variable. */
import { isIP } from "node:net";
import { StartError } from "./errors.ts";

export type Environment = Record<string, string | undefined>;

export const wrong = (name: string, expectation: string): StartError =>
  new StartError(`${name} ${expectation}`);

export function text(
  env: Environment,
  name: string,
  accepts: (value: string) => boolean,
  expected: string,
): string | undefined {
  const value = env[name];
  if (!value) return undefined;
  // The value may be a secret (a password in DATABASE_URL), so the message does not contain it.
  if (!accepts(value)) throw wrong(name, `must be ${expected}`);
  return value;
}

export function integer(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max = 2_147_483_647,
): number {
  const value = env[name];
  if (!value) return fallback;
  const parsed = Number(value);
  if (!/^\d+$/.test(value) || parsed < min || parsed > max) {
    throw wrong(name, `must be a whole number from ${min} to ${max}, not "${value}"`);
  }
  return parsed;
}

/** Upper limits: beyond them timers and dates overflow, or the value is a mistake. */
export const HOUR_SECONDS = 3_600;
export const YEAR_SECONDS = 31_536_000;
export const YEAR_HOURS = 8_760;
export const CENTURY_DAYS = 36_500;

export function positive(env: Environment, name: string, fallback: number, max: number): number {
  const value = env[name];
  if (!value) return fallback;
  const parsed = Number(value);
  if (!(parsed > 0 && parsed <= max)) {
    throw wrong(name, `must be a number above 0 and at most ${max}, not "${value}"`);
  }
  return parsed;
}

export function number(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const value = env[name];
  if (!value) return fallback;
  const parsed = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || parsed < min || parsed > max) {
    throw wrong(name, `must be a number from ${min} to ${max}, not "${value}"`);
  }
  return parsed;
}

export function boolean(env: Environment, name: string, fallback: boolean): boolean {
  const value = env[name];
  if (!value) return fallback;
  if (value !== "true" && value !== "false") throw wrong(name, `must be true or false, not "${value}"`);
  return value === "true";
}

export function seconds(env: Environment, name: string, fallback: string): number[] {
  return (env[name] || fallback).split(",").map((part) => {
    const parsed = Number(part.trim());
    if (part.trim() === "" || !(parsed >= 0 && parsed <= YEAR_SECONDS)) {
      throw wrong(
        name,
        `must be a comma-separated list of seconds up to ${YEAR_SECONDS}, such as ${fallback}; "${part}" is not valid`,
      );
    }
    return parsed;
  });
}

export function origin(env: Environment, name: string): string | undefined {
  const value = env[name];
  if (!value) return undefined;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search || url.username) {
    throw wrong(name, `must be an origin such as https://busbar.example.com, without a path, not "${value}"`);
  }
  return url.origin;
}

export const isHost = (value: string): boolean =>
  isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value);

/** Reads a list of addresses and CIDRs, and of host names if they may be listed. */
export function networks(env: Environment, name: string, may: { hosts: boolean }): string[] {
  const parts = (env[name] ?? "").split(",").map((part) => part.trim().toLowerCase());
  return parts.filter(Boolean).map((part) => {
    const [address = "", bits] = part.split("/");
    const bare = address.replace(/^\[(.*)\]$/, "$1");
    const family = isIP(bare);
    const bitsFit = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
    const isName = may.hosts && bits === undefined && isHost(bare);
    if (!isName && (!family || !bitsFit)) {
      const what = may.hosts ? "hosts or CIDRs, with no http:// and no port" : "IP addresses or CIDRs";
      throw wrong(name, `must list ${what}; "${part}" is neither`);
    }
    return bits === undefined ? bare : `${bare}/${bits}`;
  });
}
