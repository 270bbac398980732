import { readMessage } from "@busbar/client";
import { busbar, database } from "../../lib/busbar.js";

let signingKey;

// Each message holds records of one customer. The version that changed later wins, so messages may come twice and in any order.
export async function POST(request) {
  signingKey ??= await findSigningKey();
  let message;
  try {
    message = readMessage(await request.text(), request.headers, signingKey);
  } catch {
    return new Response(null, { status: 401 });
  }
  if (message.action === "read") {
    const records = message.result ?? (await (await fetch(message.resultInfo.downloadUrl)).json());
    for (const record of records) await store(message.groupRef, record);
  }
  // An answer that is not a success, also of an error above, makes Busbar send the message again.
  return new Response(null, { status: 204 });
}

async function findSigningKey() {
  const { secrets } = await busbar.getDestination({ destination: "nextjs-app", includeSecrets: true });
  return secrets.webhookSigningKey;
}

async function store(customer, { mappedFields: person, id, changeTime, readTime, deleted }) {
  await database.query(
    `INSERT INTO people VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (customer, id) DO UPDATE SET (email, given_name, title, deleted, changed, read)
       = (excluded.email, excluded.given_name, excluded.title, excluded.deleted, excluded.changed, excluded.read)
     WHERE (excluded.changed, excluded.read) >= (people.changed, people.read)`,
    [
      customer,
      id,
      person?.email,
      person?.givenName,
      person?.title,
      deleted === true,
      changeTime ?? "",
      readTime,
    ],
  );
}
