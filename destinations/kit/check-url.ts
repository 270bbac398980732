/** Checks addresses that builders enter. */
import type { Fault, World } from "./destination.ts";

/** What is wrong with an address that messages are to be sent to. */
export function checkUrl(name: string, text: string, world: Pick<World, "allowsPlainHttp">): Fault[] {
  const url = URL.parse(text);
  if (!url) return [{ name, detail: "must be an absolute address such as https://example.com/hooks" }];
  if (url.username || url.password) {
    return [{ name, detail: "must not hold a user name or password; put a token into a header" }];
  }
  if (url.protocol === "https:") return [];
  if (url.protocol === "http:" && world.allowsPlainHttp(url.hostname)) return [];
  return [{ name, detail: "must begin with https://" }];
}
