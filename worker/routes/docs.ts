import * as api from "../../schema/contract/api/docs.ts";
import type { Operation } from "../../schema/contract/operation.ts";
import { docsPage } from "../http/docs/page.ts";
import { STYLE } from "../http/docs/style.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { matchesEtag } from "../http/etag.ts";
import { openApiDocument } from "../http/openapi/document.ts";

/** The API's description. `operations` is a function, because the list of endpoints contains these endpoints, too. */
export function docsEndpoints(operations: () => readonly Operation[]): readonly Endpoint[] {
  // Made once for the isolate, because it is the same for every caller.
  const description = once(() => openApiDocument(operations()));
  const asJson = once(async () => {
    const text = JSON.stringify(description());
    return { text, headers: { "Content-Type": "application/json", ...(await cacheHeaders(text)) } };
  });
  const asPage = once(async () => {
    const text = docsPage(description());
    const policy = `default-src 'none'; style-src 'sha256-${await sha256(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    return {
      text,
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        ...(await cacheHeaders(text)),
      },
    };
  });
  const serve = (operation: Operation, make: typeof asJson) =>
    endpoint(operation, async (c) => {
      const { text, headers } = await make();
      if (matchesEtag(c.req.header("If-None-Match"), headers.ETag)) return c.body(null, 304, headers);
      return c.body(text, 200, headers);
    });
  return [serve(api.getOpenApi, asJson), serve(api.showDocs, asPage)];
}

/** Another version may be deployed at any moment, so caches must revalidate. */
async function cacheHeaders(text: string) {
  return { ETag: `"${await sha256(text)}"`, "Cache-Control": "no-cache" };
}

async function sha256(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("base64");
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
