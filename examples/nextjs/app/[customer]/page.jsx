import { revalidatePath } from "next/cache";
import { busbar, database } from "../../lib/busbar.js";
import { Integrations } from "./integrations.jsx";

export const dynamic = "force-dynamic";

// Your own sign-in tells who the customer is; here it is the address.
export default async function Page({ params }) {
  const { customer } = await params;
  const { rows } = await database.query(
    "SELECT * FROM people WHERE customer = $1 AND NOT deleted ORDER BY email",
    [customer],
  );
  return (
    <main>
      <h1>People of {customer}</h1>
      <Integrations url={process.env.BUSBAR_URL} customer={customer} />
      <table>
        <tbody>
          {rows.map((person) => (
            <tr key={person.id}>
              <td>{person.email}</td>
              <td>{person.given_name}</td>
              <td>
                <form action={save.bind(null, customer, person.id)}>
                  <input
                    name="title"
                    aria-label={`Title of ${person.email}`}
                    defaultValue={person.title ?? ""}
                  />
                  <button>Save</button>
                </form>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  );
}

/** Writes to HubSpot, then to the copy; the next read brings what HubSpot made of it. */
async function save(customer, id, form) {
  "use server";
  const title = form.get("title");
  const writeRequest = { groupRef: customer, type: "update", record: { id, title } };
  await busbar.writeRecords({ integrationId: "people-nextjs", objectName: "person", writeRequest });
  await database.query("UPDATE people SET title = $3 WHERE customer = $1 AND id = $2", [customer, id, title]);
  revalidatePath(`/${customer}`);
}
