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

describe("who may answer an approval", () => {
  test.each<[string, AnswerRule, Answerer, typeof others, AnswerRefusal | null]>([
    ["without a rule, the person who started the execution", {}, ann, started, null],
    ["without a rule, a token without an owner", {}, token, others, null],
    ["by another, a person who neither started nor changed anything", another, ann, others, null],
    ["by another, the person who started it", another, ann, started, "starter"],
    ["by another, a person who changed the workflow", another, ann, changed, "changer"],
    ["by another, a person's token", another, annsToken, others, "token"],
    ["by another, a token without an owner", another, token, others, "token"],
    ["by another, the bootstrap token", another, bootstrap, others, "token"],
    ["a listed person", { approvers: { people: ["ann"] } }, ann, started, null],
    ["a listed role", { approvers: { roles: ["admin", "editor"] } }, ann, started, null],
    ["a listed person of another role", { approvers: { roles: ["admin"], people: ["ann"] } }, ann, others, null],
    ["a person who is not listed", { approvers: { roles: ["admin"], people: ["bob"] } }, ann, others, "notApprover"],
    ["with approvers, a token without an owner", { approvers: { roles: ["admin"] } }, token, others, "notApprover"],
    [
      "with approvers, the bootstrap token as an administrator",
      { approvers: { roles: ["admin"] } },
      bootstrap,
      others,
      null,
    ],
    [
      "by another, the listed person who started it",
      { ...another, approvers: { people: ["ann"] } },
      ann,
      started,
      "starter",
    ],
    ["by another, a listed person's token", { ...another, approvers: { people: ["ann"] } }, annsToken, others, "token"],
  ])("%s", (_who, rule, answerer, excluded, refusal) => {
    expect(answerRefusal(rule, answerer, excluded)).toBe(refusal);
  });
});
