import { z } from "zod";
import { createApi } from "../../scripts/local/api.ts";

const PASSWORD = "correct horse battery staple";
const VIEWER = { email: "viewer@example.com", password: PASSWORD };

/** An API token of a person with the role viewer. */
export async function viewerToken(url: string, adminToken: string): Promise<string> {
  const api = createApi(url, adminToken);
  // The first person is an administrator.
  const admin = { email: "admin@example.com", password: PASSWORD, name: "An administrator", role: "admin" };
  await api.post("/users", admin, z.unknown());
  await api.post("/users", { ...VIEWER, name: "A viewer", role: "viewer" }, z.unknown());
  const login = await post(`${url}/api/v1/auth/login`, VIEWER, { Origin: url });
  const cookie = login.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
  const token = await post(
    `${url}/api/v1/auth/tokens`,
    { name: "bench", permissions: ["automation:read"] },
    { Origin: url, Cookie: cookie.join("; ") },
  );
  return z.object({ data: z.object({ secret: z.string() }) }).parse(await token.json()).data.secret;
}

async function post(url: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
