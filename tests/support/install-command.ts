import type { Page } from "playwright-core";
import { shellInstaller } from "../../worker/http/install/index.ts";
import type { InstallerFacts } from "../../worker/services/downloads/installer-facts.ts";

/** The page gets the install script of a deployment with a release. */
export async function publishRelease(page: Page, origin: string, changes: Partial<InstallerFacts> = {}): Promise<void> {
  const sums = ["linux-x64", "windows-x64"].map((target) => ({ target, sha256: "a".repeat(64) }));
  const body = shellInstaller({ origin, version: "1.0.0", sums, publicKey: "", ...changes });
  await page.route("**/install.sh", (route) => route.fulfill({ body }));
}

/** The command that the page shows, and the enrolment code in it. */
export async function installCommandIn(
  page: Page,
  label = "Install on Linux",
): Promise<{ command: string; code: string }> {
  const command = (await page.getByLabel(label, { exact: true }).textContent()) ?? "";
  return { command, code: /bhe_[A-Za-z0-9]{43}/u.exec(command)?.[0] ?? "" };
}
