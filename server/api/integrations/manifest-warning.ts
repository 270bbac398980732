/** The warning about a manifest as the API shows it. */
import { Type } from "typebox";

export const WarningSchema = Type.Object(
  {
    rule: Type.String({ description: "Name of the rule that was broken." }),
    message: Type.String({ description: "Description of the warning." }),
    line: Type.Integer({ description: "Line in the manifest." }),
    column: Type.Integer({ description: "Column in the manifest." }),
    path: Type.String({ description: "JSON path in the manifest." }),
    remedy: Type.String({ description: "How to fix it." }),
  },
  { title: "ManifestWarning", description: "A warning about a manifest. The manifest is valid." },
);
