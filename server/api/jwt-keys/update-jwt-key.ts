/** PATCH /v1/projects/{projectIdOrName}/jwt-keys/{keyId} */
import { Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { updateJwtKey as updateRow } from "../../store/jwt-keys.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";
import { JwtKeySchema, KeyParams, noSuchKey, toJwtKey } from "./jwt-key.ts";

const Label = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

export const updateJWTKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "updateJWTKey",
    tag: "JWT keys",
    summary: "Update a JWT key",
    description:
      "`updateMask` may list active and label. Tokens of an inactive key are rejected from the next request " +
      "on, in all processes.",
    params: KeyParams,
    body: Type.Object({
      updateMask: UpdateMask,
      jwtKey: Type.Object(
        {
          active: Type.Optional(
            Type.Boolean({ description: "Set to false to reject tokens signed with the key immediately." }),
          ),
          label: described(Label, "Name of the key."),
          name: described(Label, "Alias of `label`."),
        },
        { description: "New values of the members listed in `updateMask`." },
      ),
    }),
    success: { status: 200, description: "The updated key.", schema: JwtKeySchema },
    refusals: { 422: "`updateMask` lists a member that the body does not have." },
    async handle({ project, params, body }) {
      const { name, active, label } = pickMasked(
        body.updateMask,
        body.jwtKey,
        ["active", "label", "name"],
        "jwtKey",
        "semantically-invalid",
      );
      const change = { ...(active !== undefined && { active }), ...toLabel(label ?? name) };
      const row = await updateRow(deps.database.queries, project.id, params.keyId, change);
      if (!row) throw noSuchKey(params.keyId);
      return toJwtKey(row);
    },
  });

const toLabel = (label: string | undefined) => (label === undefined ? {} : { label });
