import { z } from "zod";
import { deletedSchema } from "../management.ts";
import type { Operation } from "../operation.ts";
import {
  changePasswordSchema,
  createTokenSchema,
  createdTokenSchema,
  listTokensQuerySchema,
  loginSchema,
  meSchema,
  oidcCallbackQuerySchema,
  oidcStartQuerySchema,
  sessionSchema,
  signInMethodsSchema,
  tokenSchema,
  userSchema,
} from "../people.ts";

const tag = "Sign-in";
const tokens = "API tokens";

export const login = {
  id: "login",
  method: "POST",
  path: "/api/v1/auth/login",
  tag,
  summary: "Sign in with email and password",
  description:
    "Sets the session's cookie, which expires after twelve hours. Failures are limited for an email and a caller's address, or for the email alone if the address is unknown: 429 says when to try again. The body has at most 16 KiB.",
  access: "public",
  body: loginSchema,
  answer: { kind: "data", status: 200, data: sessionSchema },
  errors: ["unauthorized", "forbidden", "rate_limit_exceeded"],
} as const satisfies Operation;

export const logout = {
  id: "logout",
  method: "POST",
  path: "/api/v1/auth/logout",
  tag,
  summary: "Sign out",
  description: "Ends the session of the request's cookie. A bearer token has no session: delete the token instead.",
  access: "anyone",
  answer: { kind: "data", status: 200, data: z.object({ signedOut: z.literal(true) }) },
  errors: ["conflict"],
} as const satisfies Operation;

export const getMe = {
  id: "getMe",
  method: "GET",
  path: "/api/v1/auth/me",
  tag,
  summary: "Show the caller and the caller's permissions",
  access: "anyone",
  answer: { kind: "data", status: 200, data: meSchema },
} as const satisfies Operation;

export const changePassword = {
  id: "changePassword",
  method: "POST",
  path: "/api/v1/auth/password",
  tag,
  summary: "Change one's own password",
  description:
    "Ends the user's other sessions and deletes the user's API tokens; `keepTokens: true` keeps the tokens. Wrong current passwords are limited as at sign-in. The body has at most 16 KiB.",
  access: "anyone",
  body: changePasswordSchema,
  answer: { kind: "data", status: 200, data: userSchema },
  errors: ["conflict", "rate_limit_exceeded"],
} as const satisfies Operation;

export const listSignInMethods = {
  id: "listSignInMethods",
  method: "GET",
  path: "/api/v1/auth/methods",
  tag,
  summary: "Show the ways to sign in",
  description:
    "`needsSetup`: this deployment has no administrator yet, and its bootstrap token can create the first user.",
  access: "public",
  answer: { kind: "data", status: 200, data: signInMethodsSchema },
} as const satisfies Operation;

export const startOidc = {
  id: "startOidc",
  method: "GET",
  path: "/api/v1/auth/oidc/start",
  tag,
  summary: "Sign in with the OIDC issuer",
  description:
    "For a browser: redirects to the issuer, which sends the person back to `returnTo`, a path of this deployment. On a failure, callers that accept `text/html` are redirected to the console with `signIn=<reason>`; others get a problem.",
  access: "public",
  query: oidcStartQuerySchema,
  answer: { kind: "raw", status: 302, contentType: "text/plain" },
  errors: ["forbidden", "not_found"],
} as const satisfies Operation;

export const finishOidc = {
  id: "finishOidc",
  method: "GET",
  path: "/api/v1/auth/oidc/callback",
  tag,
  summary: "Come back from the OIDC issuer",
  description:
    "The redirect URI to register with the issuer. When the sign-in fails, callers that accept `text/html` are redirected to the console with `signIn=<reason>`; others get a problem.",
  access: "public",
  query: oidcCallbackQuerySchema,
  answer: { kind: "raw", status: 302, contentType: "text/plain" },
  errors: ["unauthorized", "forbidden", "not_found"],
} as const satisfies Operation;

export const createToken = {
  id: "createToken",
  method: "POST",
  path: "/api/v1/auth/tokens",
  tag: tokens,
  summary: "Create an API token",
  description:
    "`secret` is shown only this once. A token never has a permission that its owner lacks, and cannot create other tokens. A token that was created with a token of the OIDC issuer expires within 90 days.",
  access: "anyone",
  body: createTokenSchema,
  answer: { kind: "data", status: 201, data: createdTokenSchema },
  errors: ["forbidden"],
  idempotent: "showsSecret",
  creates: "apiToken",
  lostSecret: "If it was lost, delete the token and create another with a new Idempotency-Key.",
} as const satisfies Operation;

export const listTokens = {
  id: "listTokens",
  method: "GET",
  path: "/api/v1/auth/tokens",
  tag: tokens,
  summary: "List API tokens",
  description:
    "The caller's own. With the permission admin, `owner=everyone` lists everyone's and `owner=<id>` one user's. Secrets are never shown again.",
  access: "anyone",
  query: listTokensQuerySchema,
  answer: { kind: "page", item: tokenSchema },
  errors: ["forbidden"],
} as const satisfies Operation;

export const deleteToken = {
  id: "deleteToken",
  method: "DELETE",
  path: "/api/v1/auth/tokens/{id}",
  tag: tokens,
  summary: "Delete an API token",
  description:
    "The caller's own, or any with the permission admin. A token without that permission can only delete itself.",
  access: "anyone",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found"],
} as const satisfies Operation;
