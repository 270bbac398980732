// Routes requests by method and path segments, literal or `:name`.

import type { Handler } from "./exchange.ts";

type Route = { segments: string[]; handler: Handler };

export class Router {
  readonly #routes = new Map<string, Route[]>();
  readonly #shapes = new Map<number, Route[]>();

  /** Adds a route. Earlier routes win, so literal paths are added before patterns. */
  add(method: string, pattern: string, handler: Handler): void {
    const segments = pattern.split("/").slice(1);
    const route = { segments, handler };
    const key = `${method} ${segments.length}`;
    this.#routes.set(key, [...(this.#routes.get(key) ?? []), route]);
    this.#shapes.set(segments.length, [...(this.#shapes.get(segments.length) ?? []), route]);
  }

  find(method: string, path: string): { handler: Handler; params: Record<string, string> } | undefined {
    const segments = path.split("/").slice(1);
    for (const route of this.#routes.get(`${method} ${segments.length}`) ?? []) {
      const params = matchSegments(route.segments, segments);
      if (params !== undefined) return { handler: route.handler, params };
    }
    return undefined;
  }

  /** Returns whether the path exists for another method: 405 instead of 404. */
  knows(path: string): boolean {
    const segments = path.split("/").slice(1);
    return (this.#shapes.get(segments.length) ?? []).some(
      (route) => matchSegments(route.segments, segments) !== undefined,
    );
  }
}

function matchSegments(pattern: string[], segments: string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i] ?? "";
    const actual = segments[i] ?? "";
    if (expected.startsWith(":")) {
      if (actual === "") return undefined;
      params[expected.slice(1)] = decodeSegment(actual);
    } else if (expected !== actual) return undefined;
  }
  return params;
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
