import { deletedSchema, pageQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";
import { createUserSchema, updateUserSchema, userSchema } from "../people.ts";

const tag = "Users";

export const createUser = {
  id: "createUser",
  method: "POST",
  path: "/api/v1/automation/users",
  tag,
  summary: "Create a user",
  description:
    "A fresh deployment's first user is made with the bootstrap token and must be an administrator. Without a password the user signs in by OIDC alone.",
  access: "admin",
  body: createUserSchema,
  answer: { kind: "data", status: 201, data: userSchema },
  errors: ["conflict"],
  idempotent: true,
  creates: "user",
} as const satisfies Operation;

export const listUsers = {
  id: "listUsers",
  method: "GET",
  path: "/api/v1/automation/users",
  tag,
  summary: "List users",
  access: "admin",
  query: pageQuerySchema,
  answer: { kind: "page", item: userSchema },
} as const satisfies Operation;

export const updateUser = {
  id: "updateUser",
  method: "PATCH",
  path: "/api/v1/automation/users/{id}",
  tag,
  summary: "Edit, enable or disable a user",
  description:
    "A role holds with the next request, for the user's tokens too. Disabling, and setting or removing the password, end the user's sessions and delete their API tokens; enabling brings neither back. `keepTokens: true` keeps the tokens: they are refused while the user is disabled. It needs one of these changes in the same call. The last enabled administrator can neither be disabled nor lose the role, and nobody disables themselves.",
  access: "admin",
  body: updateUserSchema,
  answer: { kind: "data", status: 200, data: userSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const deleteUser = {
  id: "deleteUser",
  method: "DELETE",
  path: "/api/v1/automation/users/{id}",
  tag,
  summary: "Delete a user",
  description:
    "With the user's sessions and API tokens, for good. What they did stays in the audit log. Somebody whom the OIDC issuer still vouches for comes back as a new user: disable them instead. Nobody deletes themselves, nor the last enabled administrator.",
  access: "admin",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;
