import { z } from "zod";

/** Who may do what (design 7). */
export const permissionSchema = z.enum([
  "automation:read",
  "automation:write",
  "automation:execute",
  "automation:approve",
  "connections:write",
  "agents:write",
  "incidents:write",
  "admin",
]);
export type Permission = z.infer<typeof permissionSchema>;

export const roleSchema = z.enum(["viewer", "operator", "editor", "admin"]);
export type Role = z.infer<typeof roleSchema>;

export const ROLE_PERMISSIONS = {
  viewer: ["automation:read"],
  operator: ["automation:read", "automation:execute", "automation:approve", "incidents:write"],
  editor: [
    "automation:read",
    "automation:write",
    "automation:execute",
    "automation:approve",
    "connections:write",
    "incidents:write",
  ],
  admin: permissionSchema.options,
} as const satisfies Record<Role, readonly Permission[]>;

export const loginSchema = z.strictObject({ email: z.email().max(320), password: z.string().min(1).max(1_024) });
export const createUserSchema = z.strictObject({
  email: z.email().max(320),
  name: z.string().trim().min(1).max(200),
  role: roleSchema,
  password: z.string().min(12).max(1_024).optional(),
});
export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: roleSchema,
  enabled: z.boolean(),
  createdAt: z.iso.datetime(),
  lastLoginAt: z.iso.datetime().nullable(),
});
export const createTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(200),
  permissions: z.array(permissionSchema).min(1),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
export const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(permissionSchema),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
});
export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.string(),
  verb: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
