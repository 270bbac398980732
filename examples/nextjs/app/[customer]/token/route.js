import { signCustomerToken } from "@busbar/client";
import { database } from "../../../lib/busbar.js";

/** Returns a token with which the page of this customer may call Busbar. Your own sign-in tells who asks. */
export async function GET(_request, { params }) {
  const { customer } = await params;
  const { rows } = await database.query("SELECT * FROM customer_key");
  const { id: keyId, private_key_pem: privateKeyPem } = rows[0];
  const who = { groupRef: customer, consumerRef: `user-of-${customer}` };
  return new Response(await signCustomerToken({ privateKeyPem, keyId, ...who }));
}
