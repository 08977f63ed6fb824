import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync } from "node:zlib";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";

describe.skipIf(NO_CHROMIUM !== null)("the shell of the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("marks the current page in the navigation, which opens and closes on a phone", async () => {
    const page = await console.pageAs("viewer", { at: "/workflows" });
    await page.getByRole("link", { name: "Workflows" }).waitFor();
    expect(await page.getByRole("link", { name: "Workflows" }).getAttribute("aria-current")).toBe("page");
    await page.setViewportSize({ width: NARROW, height: 800 });
    // The keyboard cannot reach the closed navigation, and Escape closes the open one.
    await page.getByRole("button", { name: /^Account of/u }).focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('nav')")).toBeNull();
    const navigation = page.getByRole("button", { name: "Navigation" });
    await navigation.click();
    expect(await navigation.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Executions" }).waitFor({ state: "hidden" });
    await navigation.click();
    await page.getByRole("link", { name: "Executions" }).click();
    await page.getByText("No runs yet").waitFor();
    expect(new URL(page.url()).pathname).toBe("/executions");
    // Screen readers announce the title of the new page.
    await page.locator("[aria-live=polite]", { hasText: "Executions · Bellhop" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("says within two seconds that the network is gone, also on a page that was not loaded before", async () => {
    const page = await console.pageAs("viewer", { at: "/executions" });
    await page.getByText("Live", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText(/^You are offline\. The page shows/u).waitFor({ timeout: 2_000 });
    await page.getByText("Reconnecting", { exact: true }).waitFor({ timeout: 2_000 });
    await page.getByRole("link", { name: "Connections" }).click();
    await page.getByText(/^You are offline\. This page was not loaded before/u).waitFor();
    await page.context().setOffline(false);
    await page.getByText(/^You are offline\. The page shows/u).waitFor({ state: "hidden" });
    // The page loads by itself.
    await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();
    console.complaints();
  });

  test("keeps the chosen colour scheme after a reload", async () => {
    const page = await console.pageAs("viewer");
    await page.getByRole("button", { name: /^Account of/u }).click();
    await page.getByText("Dark", { exact: true }).click();
    await page.reload();
    await page.getByRole("link", { name: "Overview" }).waitFor();
    expect(await page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
  });

  test("a menu of the account whose code arrives late leaves the focus where the person went on", async () => {
    const page = await console.pageAs("viewer", { at: null });
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route(/\/assets\/account-menu-/u, async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    await page.goto("/incidents?status=resolved");
    const loaded = page.waitForResponse(/\/assets\/account-menu-/u);
    const account = page.getByRole("button", { name: /^Account of/u });
    await account.click();
    await asked.promise;
    const service = page.getByRole("textbox", { name: "Service" });
    await service.click();
    held.resolve();
    await loaded;
    await page.keyboard.type("checkout");
    expect(await service.inputValue()).toBe("checkout");
    expect(await page.getByRole("menu").count()).toBe(0);
    await account.click();
    await page.getByRole("menuitem", { name: "Your account" }).waitFor();
    await page.close();
  });

  test('shows "Page not found" for an unknown address', async () => {
    const page = await console.pageAs("viewer", { at: "/workflows/a/b/c" });
    await page.getByText("Page not found").waitFor();
    expect((await page.goto("/nothing"))?.status()).toBe(404);
    await page.getByText("Page not found").waitFor();
    expect((await fetch(`${console.bellhop.url}/nothing`)).headers.get("Content-Type")).toBe(
      "application/problem+json",
    );
  });

  test("blocks injected scripts and requests to other hosts", async () => {
    const page = await console.pageAs("viewer");
    const blocked = page.waitForEvent("console", (message) => message.text().includes("Content Security Policy"));
    await page.evaluate(`{
      const script = document.createElement("script");
      script.textContent = "window.injected = true";
      document.body.append(script);
    }`);
    await blocked;
    expect(await page.evaluate("window.injected")).toBeUndefined();
    expect(await page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'stopped')")).toBe("stopped");
    expect(console.complaints().length).toBeGreaterThan(0);
  });

  test("serves its assets as immutable, compressed when the browser accepts it", async () => {
    const { url } = console.bellhop;
    const html = await (await fetch(url)).text();
    const [path = ""] = /\/assets\/index-[\w-]+\.js/u.exec(html) ?? [];
    const plain = await fetch(`${url}${path}`, { headers: { "Accept-Encoding": "identity" } });
    const packed = await fetch(`${url}${path}`, { headers: { "Accept-Encoding": "br" }, decompress: false });
    expect(plain.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(packed.headers.get("Content-Encoding")).toBe("br");
    const unpacked = brotliDecompressSync(new Uint8Array(await packed.arrayBuffer()));
    expect(unpacked.toString("utf8")).toBe(await plain.text());
  });

  test("sends its security headers with every answer, and no page to a client that accepts JSON only", async () => {
    const { url } = console.bellhop;
    for (const path of ["/", "/color-scheme.js", "/assets/none.js", "/api/v1/auth/methods", "/api/v1/nothing"]) {
      for (const method of ["GET", "HEAD"]) {
        const { headers } = await fetch(`${url}${path}`, { method });
        expect([path, headers.get("X-Content-Type-Options")]).toEqual([path, "nosniff"]);
      }
    }
    const head = await fetch(`${url}/workflows/x`, { method: "HEAD", headers: { Accept: "text/html" } });
    expect(head.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; script-src 'self'; /u);
    const mistaken = await fetch(`${url}/workflows`, { headers: { Accept: "application/json" } });
    expect([mistaken.status, mistaken.headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
  });

  test("serves no files outside of its assets", async () => {
    const { url } = console.bellhop;
    for (const path of [
      "/assets/sources.sha256",
      "/assets/..%2fsources.sha256",
      "/assets/%2e%2e/index.html",
      "/assets/",
    ]) {
      expect((await fetch(`${url}${path}`)).status).toBe(404);
    }
  });
});
