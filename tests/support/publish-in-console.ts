import type { Page } from "playwright-core";

/** Opens the dialog of a workflow's page or of the designer, and publishes with a message. */
export async function publish(page: Page, message = ""): Promise<void> {
  await page.getByRole("button", { name: /^Publish/u }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Message").fill(message);
  await dialog.getByRole("button", { name: /^Publish/u }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Waits until the designer has saved the shown draft. */
export async function isSaved(page: Page): Promise<void> {
  await page
    .getByRole("status", { name: "Saving" })
    .getByText(/^Saved/u)
    .waitFor();
}
