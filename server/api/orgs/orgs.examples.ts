/** Calls the operations of organisations: invitations, memberships and claimed domains. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call, busbar, ada, bob }) {
    const own = await call("createOrg", { body: { label: "Acme" }, headers: ada });
    const asOwner = { path: { orgId: own.id }, headers: ada };
    await call("updateOrg", { ...asOwner, body: { updateMask: ["label"], org: { label: "Acme Apps" } } });
    await call("createOrgInvite", { ...asOwner, body: { email: "ada@acme.example", role: "support" } });
    const { id: inviteId } = await call("createOrgInvite", {
      ...asOwner,
      body: { email: "eve@acme.example" },
    });
    await call("listOrgInvites", asOwner);
    await call("getOrgInvite", { ...asOwner, path: { orgId: own.id, inviteId } });
    await call("deleteOrgInvite", { ...asOwner, path: { orgId: own.id, inviteId } });
    const { builder } = (await busbar.call("GET", "/v1/my-info", undefined, bob)).body;
    await call("addUserToOrg", { ...asOwner, body: { builderId: builder.id, role: "viewer" } });
    const membership = { path: { orgId: own.id, builderId: builder.id }, headers: ada };
    await call("updateMembership", { ...membership, body: { role: "editor" } });
    await call("deleteMembership", membership);
    const claim = { domain: "acme.example", parentType: "org", parentId: own.id };
    await call("claimDomain", { body: claim, headers: ada });
    await call("checkClaimedDomain", { query: { domain: "acme.example" }, headers: ada });
    await call("listOrgClaimedDomains", { path: { orgId: own.id }, headers: ada });
    await call("unclaimDomain", { path: { orgId: own.id, domain: "acme.example" }, headers: ada });
  },
};
