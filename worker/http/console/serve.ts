import type { Context, Hono } from "hono";
import { CONSOLE_SEGMENTS } from "../../../schema/contract/console.ts";
import { chooseCoding } from "../../domain/download/content-coding.ts";
import { ProblemError } from "../../services/problem.ts";
import type { AppEnv } from "../app-types.ts";
import { pageHeaders } from "./page-headers.ts";

/** The service behind the binding is a directory, or the platform's assets, and ignores the host. */
const ORIGIN = "http://console";
const NONCE_PLACE = "__CSP_NONCE__";

/** Files with fixed names. The names of files in `assets/` change with their content. */
const FIXED_FILES = ["favicon.svg", "color-scheme.js"] as const;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
  png: "image/png",
  webp: "image/webp",
};
const ASSET = /^[\w.-]+\.(?:js|css|svg|woff2|png|webp)$/u;

/** The addresses of the page and of its files. They are not part of the API, nor of its description. */
export const PAGE_PATHS = CONSOLE_SEGMENTS.flatMap((segment) =>
  segment === "" ? ["/"] : [`/${segment}`, `/${segment}/*`],
);
export const FILE_PATHS = ["/assets/:name", ...FIXED_FILES.map((file) => `/${file}`)];

/** Serves the console's page and its files. */
export function serveConsole(app: Hono<AppEnv>): void {
  for (const path of PAGE_PATHS) app.get(path, servePage);
  for (const path of FILE_PATHS) app.get(path, serveFile);
}

const IMMUTABLE = "public, max-age=31536000, immutable";

/** The console's page for a browser at a wrong address, which explains that and leads on. Null for other requests. */
export async function pageForNothing(context: Context<AppEnv>): Promise<Response | null> {
  const { method, path } = context.req;
  const isBrowser = method === "GET" && /\btext\/html\b/iu.test(context.req.header("Accept") ?? "");
  if (!isBrowser || context.env.CONSOLE === undefined || ASSETS_OR_API.test(path)) return null;
  return page(context, 404);
}

const ASSETS_OR_API = /^\/(?:api|assets|downloads)\//u;

/** The page itself is small and never cached, because it names the files of the deployed version. */
async function servePage(context: Context<AppEnv>): Promise<Response> {
  if (!takesPages(context.req.header("Accept"))) return context.notFound();
  return page(context, 200);
}

async function page(context: Context<AppEnv>, status: 200 | 404): Promise<Response> {
  const file = await readFile(context, "index.html");
  if (file === null) throw notBuilt();
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url");
  const html = (await file.text()).replace(NONCE_PLACE, nonce);
  return context.body(html, status, pageHeaders(nonce));
}

/** A client that accepts only JSON has left out the API's prefix, and would take a page with 200 for an answer. */
function takesPages(accept = "*/*"): boolean {
  return /\btext\/(?:html\b|\*)|\*\/\*/iu.test(accept);
}

async function serveFile(context: Context<AppEnv>): Promise<Response> {
  const path = context.req.path.slice(1);
  const cacheControl = path.startsWith("assets/") ? IMMUTABLE : "no-cache";
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!ASSET.test(name)) return context.notFound();
  const coding = chooseCoding(context.req.header("Accept-Encoding"), PACKED);
  const packed = coding === null ? null : await readFile(context, `${path}.br`);
  const file = packed ?? (await readFile(context, path));
  // A page of an older version may still ask for its files: this 404 must not be cached.
  if (file === null) return context.notFound();
  return new Response(file.body, {
    headers: {
      "Content-Type": CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
      "Cache-Control": cacheControl,
      "Cross-Origin-Resource-Policy": "same-origin",
      Vary: "Accept-Encoding",
      ...(packed === null ? {} : { "Content-Encoding": "br" }),
    },
    // The bytes are already encoded.
    ...(packed === null ? {} : { encodeBody: "manual" as const }),
  });
}

const PACKED = ["br"] as const;

/** Null when there is no such file. */
async function readFile({ env }: Context<AppEnv>, path: string): Promise<Response | null> {
  if (env.CONSOLE === undefined) throw notBuilt();
  const response = await env.CONSOLE.fetch(`${ORIGIN}/${path}`, { headers: { "Accept-Encoding": "identity" } });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`the console's files answered ${response.status} to ${path}`);
  return response;
}

function notBuilt(): ProblemError {
  return new ProblemError(
    "not_found",
    "This deployment has no console: build it with npm run build:console, and deploy again. The API is described at /docs.",
  );
}
