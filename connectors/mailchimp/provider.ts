/** How mailchimp is connected. Its tokens do not expire; each account has the host of its data centre. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Mailchimp", "https://{{.workspace}}.api.mailchimp.com", {
  authorize: "https://login.mailchimp.com/oauth2/authorize",
  token: "https://login.mailchimp.com/oauth2/token",
  declares: ["read", "write", "delete", "search", batchWrite(500)],
  inputs: [
    {
      name: "workspace",
      displayName: "Server prefix",
      prompt:
        "The part of your Mailchimp address before admin.mailchimp.com: us21 in us21.admin.mailchimp.com.",
      pastedSuffixes: [".admin.mailchimp.com"],
    },
  ],
});
