// Owners in the account: users to whom records may belong.

import type { Data, SandboxAnswer, SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import { refuseInvalid, refuseNotFound } from "./errors.ts";
import { USER_ID } from "./oauth.ts";

const MAX_PER_PAGE = 500;

export function addOwnerRoutes(router: Router, origin: () => string): void {
  router.add("GET", "/crm/v3/owners", (exchange) => list(exchange, origin()));
  router.add("GET", "/crm/v3/owners/:id", (exchange) => {
    const found = OWNERS.find(({ id }) => id === exchange.params["id"]);
    if (found === undefined) throw refuseNotFound();
    return { status: 200, body: found };
  });
}

function list(exchange: SandboxExchange, origin: string): SandboxAnswer {
  const { query } = exchange;
  const limit = Number(query.get("limit") ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PER_PAGE) {
    throw refuseInvalid(`limit must be between 1 and ${MAX_PER_PAGE}`);
  }
  const archived = query.get("archived") === "true";
  const after = query.get("after") ?? "0";
  const owners = OWNERS.filter((one) => one["archived"] === archived && Number(one.id) > Number(after));
  const results = owners.slice(0, limit);
  const last = results.at(-1)?.id ?? "";
  if (owners.length <= limit) return { status: 200, body: { results } };
  const next = new URLSearchParams(query);
  next.set("after", last);
  const link = `${origin}/hubspot/crm/v3/owners?${next.toString()}`;
  return { status: 200, body: { results, paging: { next: { after: last, link } } } };
}

function buildOwner(id: string, firstName: string, userId: number, archived = false): Data & { id: string } {
  return {
    id,
    email: `${firstName.toLowerCase()}@sandbox.example`,
    type: "PERSON",
    firstName,
    lastName: "Admin",
    userId,
    createdAt: "2024-01-02T00:00:00.000Z",
    updatedAt: "2024-01-02T00:00:00.000Z",
    archived,
  };
}

const OWNERS = [
  { ...buildOwner("410010", "Ada", USER_ID), email: "admin@sandbox.example" },
  buildOwner("410011", "Grace", USER_ID + 1),
  buildOwner("410012", "Linus", USER_ID + 2),
  buildOwner("410013", "Noel", USER_ID + 3, true),
];
