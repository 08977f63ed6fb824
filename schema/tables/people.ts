import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Permission, Role } from "../contract/people.ts";
import { flag, json, timeMs } from "./columns.ts";

export const users = sqliteTable(
  "users",
  {
    id: text("id").primaryKey(),
    email: text("email").notNull(),
    name: text("name").notNull(),
    role: text("role").$type<Role>().notNull(),
    passwordHash: text("password_hash"),
    oidcSubject: text("oidc_subject"),
    enabled: flag("enabled").notNull().default(true),
    createdAt: timeMs("created_at").notNull(),
    lastLoginAt: timeMs("last_login_at"),
  },
  (table) => [uniqueIndex("users_email").on(table.email), uniqueIndex("users_oidc_subject").on(table.oidcSubject)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    /** A digest: only the cookie has the session's id. */
    idDigest: text("id_digest").primaryKey(),
    userId: text("user_id").notNull(),
    createdAt: timeMs("created_at").notNull(),
    expiresAt: timeMs("expires_at").notNull(),
  },
  (table) => [index("sessions_of_user").on(table.userId), index("sessions_expiring").on(table.expiresAt)],
);

export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    userId: text("user_id"),
    tokenDigest: text("token_digest").notNull(),
    permissions: json<Permission[]>("permissions").notNull(),
    expiresAt: timeMs("expires_at"),
    lastUsedAt: timeMs("last_used_at"),
    createdAt: timeMs("created_at").notNull(),
  },
  (table) => [uniqueIndex("api_tokens_digest").on(table.tokenDigest), index("api_tokens_of_user").on(table.userId)],
);

/** Failed sign-ins in a window, counted for an email address and for a caller's address; `key` is a digest. */
export const loginFailures = sqliteTable(
  "login_failures",
  {
    key: text("key").primaryKey(),
    windowStartedAt: timeMs("window_started_at").notNull(),
    failures: integer("failures").notNull(),
  },
  (table) => [index("login_failures_by_window").on(table.windowStartedAt)],
);
