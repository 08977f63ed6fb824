import type { Context } from "hono";
import * as api from "../../schema/contract/api/downloads.ts";
import { releaseUrlPath } from "../../schema/contract/release.ts";
import type { AppEnv } from "../http/app-types.ts";
import { respondWithDownload } from "../http/download/respond.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { powershellInstaller, shellInstaller } from "../http/install/index.ts";
import { findDownload } from "../services/downloads/find-download.ts";
import { installerFacts } from "../services/downloads/installer-facts.ts";
import type { InstallerFacts } from "../services/downloads/installer-facts.ts";
import { latestVersion } from "../services/downloads/release.ts";
import { downloadSource } from "../services/downloads/source.ts";

export const downloadEndpoints: readonly Endpoint[] = [
  endpoint(api.downloadLatestRelease, async (c) => {
    const source = downloadSource(c.env);
    const version = await latestVersion(source);
    // A missing file gets its 404 here: a redirect would hide it.
    await findDownload(source, version, pathParam(c, "name"));
    return c.body(null, 302, { Location: releaseUrlPath(version, pathParam(c, "name")), "Cache-Control": "no-store" });
  }),
  endpoint(api.downloadRelease, async (c) => {
    const source = downloadSource(c.env);
    return respondWithDownload(c, await findDownload(source, pathParam(c, "version"), pathParam(c, "name")));
  }),
  endpoint(api.getInstallScript, (c) => respondWithScript(c, shellInstaller)),
  endpoint(api.getWindowsInstallScript, (c) => respondWithScript(c, powershellInstaller)),
];

async function respondWithScript(c: Context<AppEnv>, script: (facts: InstallerFacts) => string): Promise<Response> {
  const facts = await installerFacts(downloadSource(c.env), c.var.deps.settings, c.req.url);
  return c.body(script(facts), 200, {
    "Content-Type": "text/plain; charset=utf-8",
    // The script contains the newest sums, and the address of the request.
    "Cache-Control": "no-store",
  });
}
