/** Operations that are about a signed-in person, or sold by somebody else: described, and refused with the reason. */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { endpoint, type Endpoint } from "../../http/endpoint.ts";

/** Reached only by a person's token, which no access room hands out yet. */
const notBuilt = async (): Promise<never> => {
  throw new Problem("not-built", { detail: "Signing in as a person is not built yet. Use an API key." });
};

const personal = (operationId: string, summary: string, rest: Partial<Endpoint> = {}): Endpoint =>
  endpoint({
    operationId,
    tag: "People",
    summary,
    description: "Needs a signed-in person: an API key is nobody, and is refused with 403.",
    success: { status: 200, description: "Not answered yet." },
    refusals: [501],
    ...rest,
    handle: notBuilt,
  });

export const getMyInfo = (): Endpoint => personal("getMyInfo", "Who is signed in, and in which projects");

export const acceptInvite = (): Endpoint => personal("acceptInvite", "Accept an invitation");

export const addUserToOrg = (): Endpoint =>
  personal("addUserToOrg", "Add a person to an organisation", {
    params: Type.Object({ orgId: Type.String() }),
  });

/** Self-hosted: there is nothing to pay for. */
export const getOrgBillingAccount = (): Endpoint =>
  endpoint({
    operationId: "getOrgBillingAccount",
    tag: "Organisations",
    summary: "Get the billing account of an organisation",
    params: Type.Object({ orgId: Type.String() }),
    success: { status: 200, description: "Never: a Busbar of your own bills nobody." },
    handle: async () => {
      throw new Problem("not-found", { detail: "There are no billing accounts here: nothing is sold." });
    },
  });
