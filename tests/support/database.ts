import { createClient } from "@libsql/client/web";
import type { InValue, Value } from "@libsql/client/web";

/** Runs one statement on the service's database. */
export async function query(
  service: { libsql: { url: string } },
  sql: string,
  args: InValue[] = [],
): Promise<Record<string, Value>[]> {
  const client = createClient({ url: service.libsql.url });
  try {
    const { rows } = await client.execute({ sql, args });
    return rows.map((row) => ({ ...row }));
  } finally {
    client.close();
  }
}
