import type { settings } from "../../strings/en/settings.ts";
import type { Permission } from "../../../schema/contract/people.ts";

/** The settings pages in display order. `needs`: the permission for the page. */
export const SETTINGS_TABS = [
  { tab: "account", needs: null },
  { tab: "users", needs: "admin" },
  { tab: "roles", needs: null },
  { tab: "tokens", needs: null },
  { tab: "audit", needs: "admin" },
  { tab: "notifications", needs: "automation:read" },
] as const satisfies readonly { tab: keyof typeof settings.tabs; needs: Permission | null }[];
export type SettingsTab = (typeof SETTINGS_TABS)[number]["tab"];

/** The pages for a person with these permissions. */
export function tabsFor(permissions: readonly Permission[]): (typeof SETTINGS_TABS)[number][] {
  return SETTINGS_TABS.filter(({ needs }) => needs === null || permissions.includes(needs));
}
