import { describe, expect, test } from "bun:test";
import { ROLE_PERMISSIONS, roleSchema } from "../../schema/contract/people.ts";
import type { Permission, Role } from "../../schema/contract/people.ts";
import { claimedRole } from "../../worker/domain/claimed-role.ts";
import { rolePermissions, tokenPermissions } from "../../worker/domain/token-permissions.ts";

describe("an API token", () => {
  test("has its permissions as far as its owner's role has them", () => {
    const given: Permission[] = ["automation:read", "automation:write", "agents:write"];
    expect([...tokenPermissions(given, "admin")].sort()).toEqual([...given].sort());
    expect([...tokenPermissions(given, "editor")].sort()).toEqual(["automation:read", "automation:write"]);
    expect([...tokenPermissions(given, "viewer")]).toEqual(["automation:read"]);
  });

  test("without an owner has all its permissions", () => {
    expect([...tokenPermissions(["agents:write"], null)]).toEqual(["agents:write"]);
  });

  test("gains nothing from an unknown permission name", () => {
    expect([...tokenPermissions(["everything"], "admin")]).toEqual([]);
  });

  test.each(roleSchema.options)("of an owner with the role %s never has more permissions than the role", (role) => {
    const all = tokenPermissions(ROLE_PERMISSIONS.admin, role);
    expect([...all].sort()).toEqual([...rolePermissions(role)].sort());
  });
});

describe("the role that an issuer claims", () => {
  test.each<[string, Record<string, unknown>, string, Role | null]>([
    ["a string", { role: "editor" }, "role", "editor"],
    ["the highest role of a list", { roles: ["viewer", "admin", "editor"] }, "roles", "admin"],
    ["a path", { realm_access: { roles: ["operator", "offline_access"] } }, "realm_access.roles", "operator"],
    ["a name with dots", { "https://example.com/roles": ["viewer"] }, "https://example.com/roles", "viewer"],
    ["unknown roles", { roles: ["superuser", "Admin"] }, "roles", null],
    ["another type", { roles: { admin: true } }, "roles", null],
    ["no claim", {}, "roles", null],
    ["a path that ends early", { realm_access: "admin" }, "realm_access.roles", null],
    ["a property that every object has", {}, "constructor.name", null],
  ])("%s: the claims %j with the path %s give %p", (_name, claims, claimName, expected) => {
    expect(claimedRole(claims, claimName)).toBe(expected);
  });
});
