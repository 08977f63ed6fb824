import type { Permission } from "../../../schema/contract/people.ts";

/** The settings pages in display order. `needs`: the permission for the page. */
export const SETTINGS_TABS = [
  { tab: "account", label: "Your account", needs: null },
  { tab: "users", label: "Users", needs: "admin" },
  { tab: "roles", label: "Roles", needs: null },
  { tab: "tokens", label: "API tokens", needs: null },
  { tab: "audit", label: "Audit log", needs: "admin" },
  { tab: "notifications", label: "Notifications", needs: "automation:read" },
] as const satisfies readonly { tab: string; label: string; needs: Permission | null }[];
export type SettingsTab = (typeof SETTINGS_TABS)[number]["tab"];

/** The pages for a person with these permissions. */
export function tabsFor(permissions: readonly Permission[]): (typeof SETTINGS_TABS)[number][] {
  return SETTINGS_TABS.filter(({ needs }) => needs === null || permissions.includes(needs));
}
