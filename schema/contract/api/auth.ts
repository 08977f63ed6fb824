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
  summary: "Sign in with e-mail and password",
  description:
    "Sets the session's cookie, which ends after twelve hours. Failures are limited for an e-mail and a caller's address, or for the e-mail alone where that address is not known: 429 says when to try again. The body has at most 16 KiB.",
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
  description: "Ends the session of the cookie that came along. A bearer token has none: delete the token instead.",
  access: "anyone",
  answer: { kind: "data", status: 200, data: z.object({ signedOut: z.literal(true) }) },
  errors: ["conflict"],
} as const satisfies Operation;

export const getMe = {
  id: "getMe",
  method: "GET",
  path: "/api/v1/auth/me",
  tag,
  summary: "Show who is calling, and with which permissions",
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
  summary: "Show how one can sign in here",
  description:
    "`needsSetup`: nobody can administer this deployment yet, and the bootstrap token is there to create the first user.",
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
    "For a browser: redirects to the issuer, which sends the person back to `returnTo`, a path of this deployment. Who accepts `text/html` is sent back to the console with `signIn=<reason>` when this fails; others get a problem.",
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
    "The redirect URI to register with the issuer. Who accepts `text/html` is sent back to the console with `signIn=<reason>` when the sign-in fails; others get a problem.",
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
    "`secret` is shown this once. A token holds no permission that its owner lacks, now or later, and cannot make others. One that is made with a token of the OIDC issuer ends within 90 days.",
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
    "One's own; with the permission admin also everyone's by `owner=everyone`, or one user's by `owner=<id>`. Their secrets are never shown again.",
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
  description: "One's own, or anybody's with the permission admin. A token without it can delete itself alone.",
  access: "anyone",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found"],
} as const satisfies Operation;
