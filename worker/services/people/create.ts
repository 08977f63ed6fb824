import type { z } from "zod";
import { createUserSchema } from "../../../schema/contract/people.ts";
import type { UserView } from "../../../schema/contract/people.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { findUser, hasEnabledAdmin, insertUser } from "../../store/users.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { canSignInByOidc, signInWays } from "../oidc-settings.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { hashPassword } from "./password.ts";
import { viewUser } from "./view.ts";

/**
 * Creates a user. While there is no administrator, the new user must be one: the bootstrap token is to be unset
 * afterwards, and then no one else could continue.
 */
export async function createUser(deps: Deps, actor: string, input: unknown): Promise<UserView> {
  const body = parseInput(createUserSchema, input);
  const errors = await whatIsMissing(deps, body);
  if (errors.length > 0) throw invalidInput(errors);
  const { email, name, role, password } = body;
  const id = deps.newId("user");
  const passwordHash = password === undefined ? null : await hashPassword(password);
  try {
    await writeBatch(deps.db, [
      insertUser(deps.db, { id, email, name, role, passwordHash, createdAt: deps.now() }),
      record(deps, { actor, verb: "create", subjectType: "user", subjectId: id, detail: { email, role } }),
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new ProblemError("conflict", `A user with the email ${email} already exists. Edit that user.`, {
      cause: error,
    });
  }
  const row = await findUser(deps.db, id);
  if (row === null) throw notFound("user", id);
  return viewUser(row);
}

async function whatIsMissing(deps: Deps, body: z.infer<typeof createUserSchema>): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  if (body.password === undefined && !canSignInByOidc(deps.settings)) {
    errors.push({
      path: "password",
      message: "is required: no OIDC sign-in is set up here, so there is no other way in",
    });
  }
  if (body.role !== "admin" && !(await hasEnabledAdmin(deps.db, signInWays(deps.settings)))) {
    errors.push({ path: "role", message: "must be admin: there is no enabled administrator who can sign in yet" });
  }
  return errors;
}
