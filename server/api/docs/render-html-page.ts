/** The success of an endpoint that answers a page for people. */
import { Type } from "typebox";

export const renderHtmlPage = (description: string) =>
  ({ status: 200, description, schema: Type.String(), media: "text/html" }) as const;
