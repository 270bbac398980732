/** Calls the operations of uploads: each address takes a manifest, which is then deployed. */
import assert from "node:assert/strict";
import { zipSync } from "fflate";
import { MANIFEST } from "../../../tests/journeys/every-operation/examples-manifest.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["integrations"],
  async run({ call, calls, busbar }) {
    const zip = zipSync({ "amp.yaml": Buffer.from(MANIFEST) });
    for (const operationId of [
      "generateUploadUrl",
      "generateUploadUrlForWrite",
      "generateUploadUrlForRead",
    ]) {
      const { url, bucket, path } = await call(operationId);
      // The client of the recording sends text only.
      const put = await fetch(url, { method: "PUT", body: zip });
      assert.equal(put.status, 204, await put.text());
      const sourceZipUrl = `gs://${bucket}/${path}`;
      const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceZipUrl });
      assert.equal(deployed.status, 200, deployed.text);
    }
    calls.push({ operationId: "putUpload" });
  },
};
