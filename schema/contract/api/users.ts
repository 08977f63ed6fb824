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
    "The bootstrap token creates the first user of a new deployment, who must be an administrator. Without a password the user signs in only with OIDC.",
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
    "A role takes effect with the next request, also for the user's tokens. Disabling, and setting or removing the password, end the user's sessions and delete the user's API tokens; enabling restores neither. `keepTokens: true`, together with one of these changes, keeps the tokens; they are refused while the user is disabled. The last enabled administrator cannot be disabled or lose the role, and no one can disable themselves.",
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
    "Permanently, with the user's sessions and API tokens. The audit log keeps the user's changes. A person who can still sign in with the OIDC issuer comes back as a new user: disable the user instead. No one can delete themselves or the last enabled administrator.",
  access: "admin",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;
