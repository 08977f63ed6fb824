import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { problemOf } from "../support/management-api.ts";
import { CLIENT_ID, CLIENT_SECRET, startOidcIssuer } from "../support/oidc-issuer.ts";
import type { OidcIssuer } from "../support/oidc-issuer.ts";
import { AUTH, openBrowser } from "../support/people.ts";

/** A proxy before a real issuer that changes one of its responses. */
type Change = (answer: Response, path: string) => Response | Promise<Response>;

const START = `${AUTH}/oidc/start`;
const PERSON = { sub: "account-1", email: "person@example.com" };
const TOO_LARGE = " ".repeat(256 * 1_024);

let issuer: OidcIssuer;
let change: Change;
let elsewhere: number;
let other: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  issuer = await startOidcIssuer((answer, path) => change(answer, path));
  other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      elsewhere += 1;
      return fetch(new URL(new URL(request.url).pathname, issuer.url));
    },
  });
});
beforeEach(() => {
  change = (answer) => answer;
  elsewhere = 0;
});
afterAll(async () => {
  await other.stop(true);
  await issuer.stop();
});

/** A deployment that has cached nothing of the issuer. */
async function withFresh(issuerUrl: string, use: (bellhop: Bellhop) => Promise<void>): Promise<void> {
  const bellhop = await startBellhop({
    bindings: {
      OIDC_ISSUER: issuerUrl,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_DEFAULT_ROLE: "viewer",
    },
  });
  try {
    await use(bellhop);
  } finally {
    await bellhop.stop();
  }
}

async function json(answer: Response, more: Record<string, unknown>): Promise<Response> {
  return Response.json({ ...z.looseObject({}).parse(await answer.json()), ...more });
}

const hostile: [string, Change][] = [
  ["an answer that is too large", async (answer) => new Response((await answer.text()) + TOO_LARGE)],
  ["a redirect", (_answer, path) => Response.redirect(`http://127.0.0.1:${other.port}${path}`)],
  ["no JSON", () => new Response("<html>")],
  ["a list", () => Response.json([])],
  ["an error", () => Response.json({}, { status: 500 })],
];

test.each<[string, Change]>([
  ...hostile,
  ["another issuer's name", (answer) => json(answer, { issuer: "https://issuer.example.com" })],
  ["its name with one slash more", (answer) => json(answer, { issuer: `${issuer.url}/` })],
  ["a name that is not a URL", (answer) => json(answer, { issuer: "issuer" })],
  ["a token endpoint over http", (answer) => json(answer, { token_endpoint: "http://issuer.example.com/token" })],
  ["keys over http", (answer) => json(answer, { jwks_uri: "http://issuer.example.com/keys" })],
  ["a script to sign in with", (answer) => json(answer, { authorization_endpoint: "javascript:alert(1)" })],
  ["no keys", (answer) => json(answer, { jwks_uri: undefined })],
])("an issuer whose description is %s is unavailable, and no browser is redirected to it", async (_name, changed) => {
  await withFresh(issuer.url, async (bellhop) => {
    change = changed;
    await problemOf(await openBrowser(bellhop).call("GET", START), 503, "unavailable");
    change = (answer) => answer;
    expect((await openBrowser(bellhop).call("GET", START)).status).toBe(302);
    expect(elsewhere).toBe(0);
  });
});

test("hostile responses of the token and key endpoints sign no one in, and genuine ones do", async () => {
  await withFresh(issuer.url, async (bellhop) => {
    const signIn = async () => {
      const browser = openBrowser(bellhop);
      const location = (await browser.call("GET", START)).headers.get("Location") ?? "";
      const response = await browser.call("GET", issuer.authorize(location, PERSON));
      return { response, signedIn: browser.cookies.has("bellhop_session") };
    };
    for (const at of ["/token", "/keys"]) {
      for (const [name, changed] of hostile) {
        change = (answer, path) => (path === at ? changed(answer, path) : answer);
        const { response, signedIn } = await signIn();
        expect({ at, name, signedIn, refused: [401, 503].includes(response.status) }).toEqual({
          at,
          name,
          signedIn: false,
          refused: true,
        });
      }
    }
    expect(elsewhere).toBe(0);
  });
  await withFresh(issuer.url, async (bellhop) => {
    change = (answer) => answer;
    const browser = openBrowser(bellhop);
    const location = (await browser.call("GET", START)).headers.get("Location") ?? "";
    expect((await browser.call("GET", issuer.authorize(location, PERSON))).status).toBe(302);
    expect(browser.cookies.has("bellhop_session")).toBe(true);
  });
});
