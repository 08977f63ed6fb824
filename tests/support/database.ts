import { createClient } from "@libsql/client/web";
import type { InValue, Value } from "@libsql/client/web";
import type { Service } from "./bellhop.ts";

/** Runs one statement on the service's database. */
export async function query(
  service: Pick<Service, "libsql">,
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
