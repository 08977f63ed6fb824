import { describe, expect, test } from "bun:test";
import { answerRefusal } from "../../worker/domain/may-answer.ts";
import type { AnswerRefusal, AnswerRule, Answerer } from "../../worker/domain/may-answer.ts";

const ann: Answerer = { person: "ann", role: "editor", isSignedIn: true };
const annsToken: Answerer = { ...ann, isSignedIn: false };
const token: Answerer = { person: null, role: null, isSignedIn: false };
const bootstrap: Answerer = { person: "bootstrap", role: "admin", isSignedIn: false };
const another: AnswerRule = { by: "another" };
const started = { starters: ["bob", "ann"], changers: [] };
const changed = { starters: ["bob"], changers: ["ann"] };
const others = { starters: ["bob"], changers: ["cid"] };

describe("an answer to an approval", () => {
  test.each<[string, AnswerRefusal | null, AnswerRule, Answerer, typeof others]>([
    ["without a rule, the person who started the execution", null, {}, ann, started],
    ["without a rule, a token without an owner", null, {}, token, others],
    ["by another, a person who neither started nor changed anything", null, another, ann, others],
    ["by another, the person who started it", "starter", another, ann, started],
    ["by another, a person who changed the workflow", "changer", another, ann, changed],
    ["by another, a person's token", "token", another, annsToken, others],
    ["by another, a token without an owner", "token", another, token, others],
    ["by another, the bootstrap token", "token", another, bootstrap, others],
    ["a listed person", null, { approvers: { people: ["ann"] } }, ann, started],
    ["a listed role", null, { approvers: { roles: ["admin", "editor"] } }, ann, started],
    ["a listed person of another role", null, { approvers: { roles: ["admin"], people: ["ann"] } }, ann, others],
    ["a person who is not listed", "notApprover", { approvers: { roles: ["admin"], people: ["bob"] } }, ann, others],
    ["with approvers, a token without an owner", "notApprover", { approvers: { roles: ["admin"] } }, token, others],
    [
      "with approvers, the bootstrap token as an administrator",
      null,
      { approvers: { roles: ["admin"] } },
      bootstrap,
      others,
    ],
    [
      "by another, the listed person who started it",
      "starter",
      { ...another, approvers: { people: ["ann"] } },
      ann,
      started,
    ],
    ["by another, a listed person's token", "token", { ...another, approvers: { people: ["ann"] } }, annsToken, others],
  ])("%s: the refusal is %p", (_who, refusal, rule, answerer, excluded) => {
    expect(answerRefusal(rule, answerer, excluded)).toBe(refusal);
  });
});
