import { z } from "zod";
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../limits.ts";
import { idSchema } from "./ids.ts";
import { jsonObjectSchema } from "./json.ts";
import { nameSchema } from "./name.ts";
import { NO_SPAN, isSpan, limit } from "./query.ts";

/** Who may do what (docs/design/people.md#permissions). */
export const permissionSchema = z.enum([
  "automation:read",
  "automation:write",
  /** Changes code or where it runs; needed in addition to `automation:write` or `connections:write`. */
  "code:write",
  "automation:execute",
  "automation:approve",
  "connections:write",
  /** Delivers and withdraws credentials, and decides who may use them. */
  "credentials:write",
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
    "code:write",
    "automation:execute",
    "automation:approve",
    "connections:write",
    "incidents:write",
  ],
  admin: permissionSchema.options,
} as const satisfies Record<Role, readonly Permission[]>;

/** Compared and stored in lower case: no person has two mailboxes that differ only by case. */
const email = z.email("must be an email address").max(320).toLowerCase();
/**
 * NIST SP 800-63B, 3.1.1.2: length, not composition. The maximum limits the work; bcrypt's 72 bytes have no part in it.
 */
const newPassword = z.string().min(PASSWORD_MIN_CHARS).max(PASSWORD_MAX_CHARS);
/** For a password that is only compared. */
const givenPassword = z.string().min(1).max(PASSWORD_MAX_CHARS);

export const loginSchema = z.strictObject({ email, password: givenPassword });
/** Tokens made with a stolen session must not outlive it, so they end unless the caller keeps them. */
const keepTokens = z
  .boolean()
  .optional()
  .describe(
    "True keeps the user's API tokens, which are otherwise deleted. Only together with a password or `enabled: false`.",
  );
export const changePasswordSchema = z.strictObject({ currentPassword: givenPassword, newPassword, keepTokens });

export const createUserSchema = z.strictObject({
  email,
  name: nameSchema,
  role: roleSchema,
  password: newPassword.optional(),
});
export const updateUserSchema = z
  .strictObject({
    name: nameSchema.optional(),
    role: roleSchema.optional(),
    enabled: z.boolean().optional(),
    /** Null removes the password: the user then signs in only with OIDC. */
    password: newPassword.nullish(),
    keepTokens,
  })
  .refine(
    ({ keepTokens: kept, password, enabled }) => kept === undefined || password !== undefined || enabled === false,
    {
      path: ["keepTokens"],
      error: "applies only to a change that deletes tokens: send it with password or enabled: false, or leave it out",
    },
  );
export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: roleSchema,
  enabled: z.boolean(),
  /** How this user can sign in: with a password; below, with an account of the OIDC issuer. */
  hasPassword: z.boolean(),
  hasOidcAccount: z.boolean(),
  createdAt: z.iso.datetime(),
  lastLoginAt: z.iso.datetime().nullable(),
});
export type UserView = z.infer<typeof userSchema>;

/** An API token: `bht_<43 base62>`; its last four characters are its keyed tag. */
export const apiTokenSchema = z.string().regex(/^bht_[0-9A-Za-z]{43}$/u);
export const createTokenSchema = z.strictObject({
  name: nameSchema,
  permissions: z.array(permissionSchema).min(1),
  /** Absent: it never expires. */
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
export const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Null for a token made with the bootstrap token: it has no owner. */
  userId: z.string().nullable(),
  /** The permissions at its creation; its owner's role may allow less now. */
  permissions: z.array(permissionSchema),
  expiresAt: z.iso.datetime().nullable(),
  /** Exact to the minute. */
  lastUsedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
});
export type TokenView = z.infer<typeof tokenSchema>;
/** `secret` is the token itself, shown only once. */
export const createdTokenSchema = z.object({ token: tokenSchema, secret: z.string() });

const cursor = z.string().min(1).max(512).optional();
export const listTokensQuerySchema = z.object({
  owner: z
    .union([z.enum(["me", "everyone"]), idSchema("user")])
    .default("me")
    .describe("`me`, `everyone`, or a user's id."),
  limit,
  cursor,
});

export const sessionSchema = z.object({
  user: userSchema,
  permissions: z.array(permissionSchema),
  expiresAt: z.iso.datetime(),
});
export type SessionView = z.infer<typeof sessionSchema>;

export const principalKindSchema = z.enum(["bootstrap", "token", "session", "oidc"]);
export const meSchema = z.object({
  kind: principalKindSchema,
  /** The caller's name in the audit log. */
  actor: z.string(),
  user: userSchema.nullable(),
  permissions: z.array(permissionSchema),
  /** When these credentials expire; null when they do not. */
  expiresAt: z.iso.datetime().nullable(),
});
export type MeView = z.infer<typeof meSchema>;
export const signInMethodsSchema = z.object({
  password: z.boolean(),
  oidc: z.boolean(),
  /** No person can administer this deployment yet, and the bootstrap token can make the first one who can. */
  needsSetup: z.boolean(),
});
/**
 * Why a sign-in with the issuer failed: the browser is sent back to the console with `signIn=<reason>` in the address.
 * The issuer's own texts are left out.
 */
export const signInFailureSchema = z.enum([
  "not-begun",
  "refused",
  "issuer-away",
  "bad-answer",
  "disabled",
  "no-role",
  "no-email",
  "unverified-email",
  "other-account",
  "not-private",
  "not-set-up",
  "failed",
]);
export type SignInFailure = z.infer<typeof signInFailureSchema>;
export const oidcStartQuerySchema = z.object({ returnTo: z.string().max(1_024).default("/") });
/** The parameters that an issuer sends back (RFC 6749, 4.1.2; RFC 9207). */
export const oidcCallbackQuerySchema = z.object({
  code: z.string().min(1).max(4_096).optional(),
  state: z.string().min(1).max(512).optional(),
  iss: z.string().max(2_048).optional(),
  error: z.string().max(512).optional(),
  error_description: z.string().max(4_096).optional(),
});

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  /** `user:<email>`, `token:<name> (<email>)`, `bootstrap`, or another kind of caller. */
  actor: z.string(),
  verb: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  detail: jsonObjectSchema,
  names: z
    .record(z.string(), z.string())
    .describe(
      "The present names of the workflows, agents and connections whose ids the entry has, by id. A deleted one may be missing.",
    ),
});
export type AuditEntryView = z.infer<typeof auditEntrySchema>;
const auditFilter = z.string().min(1).max(600).optional();
const auditFilters = {
  actor: auditFilter,
  verb: auditFilter,
  subjectType: auditFilter,
  subjectId: auditFilter,
  /** Both are inclusive. */
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
};
export const listAuditQuerySchema = z.object({ ...auditFilters, limit, cursor }).refine(isSpan, NO_SPAN);
export const exportAuditQuerySchema = z
  .object({
    ...auditFilters,
    after: idSchema("audit").optional().describe("The id of the last entry that was received: continue after it."),
  })
  .refine(isSpan, NO_SPAN);
