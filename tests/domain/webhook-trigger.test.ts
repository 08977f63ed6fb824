import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { WebhookTrigger } from "../../schema/contract/webhook-trigger.ts";
import { triggerSchema } from "../../schema/contract/workflow.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { checkTrigger } from "../../worker/domain/check-trigger.ts";
import { HIDDEN, hideSensitive, markSensitive, shownTrigger } from "../../worker/domain/sensitive.ts";
import { Steps } from "../../worker/domain/steps.ts";
import { action, define, problemsOf } from "./engine.ts";

const BODY = { type: "webhook", payload: "body", headers: ["x-event"], query: ["env"] } as const;
const trigger = (fields: Partial<WebhookTrigger>): Trigger => triggerSchema.parse({ ...BODY, ...fields });
const reading = (template: string) => define([action("b", { params: { script: "true", env: { X: template } } })], []);

describe("a webhook trigger", () => {
  test.each<[fields: Partial<WebhookTrigger>, path: string, message: string]>([
    [{ headers: ["authorization"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-event", "cookie"] }, "headers.1", "may hold a secret"],
    [{ headers: ["x-hub-signature-256"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-gitlab-token"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-api-key"] }, "headers.0", "may hold a secret"],
    [{ headers: ["referer"] }, "headers.0", "may hold a secret"],
    [{ headers: ["referrer"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-original-uri"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-original-url"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-forwarded-uri"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-rewrite-url"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-envoy-original-path"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-waws-unencoded-url"] }, "headers.0", "may hold a secret"],
    [{ headers: ["x-a", "x-a"] }, "headers.1", "is a repeat"],
    [{ query: ["secret"] }, "query.0", "is the webhook's secret"],
    [{ sensitive: ["variables.a"] }, "sensitive.0", "must be body"],
    [{ sensitive: ["body."] }, "sensitive.0", "must be body"],
    [{ sensitive: ["headers"] }, "sensitive.0", "must be body"],
    [{ sensitive: ["headers.x-other"] }, "sensitive.0", "must be body"],
  ])("with %j has a problem at %s", (fields, path, message) => {
    expect(checkTrigger(trigger(fields), new Steps())).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  test("that gives variables names no parts of the request", () => {
    const message = 'needs the payload "body"';
    const problems = ["headers", "query", "sensitive"].map((path) => ({ path, message }));
    for (const payload of [{}, { payload: "variables" }]) {
      const named = { headers: ["x-event"], query: ["env"], sensitive: ["body"] };
      expect(checkTrigger(triggerSchema.parse({ type: "webhook", ...named, ...payload }), new Steps())).toEqual(
        problems,
      );
    }
  });

  test.each<JsonObject>([
    { payload: "json" },
    { headers: ["X-Event"] },
    { headers: ["x event"] },
    { headers: "x-event" },
    { query: ["__proto__"] },
    { query: [""] },
    { sensitive: [""] },
    { headers: Array.from({ length: 21 }, (_, index) => `x-${index}`) },
    { body: true },
  ])("cannot have %j", (fields) => {
    expect(triggerSchema.safeParse({ ...BODY, ...fields }).success).toBe(false);
  });

  test("may hide parts of its body, and its named headers and parameters", () => {
    const sensitive = ["body", 'body.customer["e-mail"]', "body.alerts.0", "headers.x-event", "query.env"];
    expect(checkTrigger(trigger({ sensitive }), new Steps())).toEqual([]);
  });
});

describe("templates of a workflow whose webhook gives its body", () => {
  test.each([
    ["{{webhook.body.alerts.0.labels.host}}", null],
    ["{{inputs.body}}", null],
    ["{{webhook}}", null],
    ["{{webhook.headers.x-event}}", null],
    ["{{webhook.query.env}}", null],
    ["{{webhook.host}}", "a webhook whose payload is the body has body, headers and query"],
    ["{{webhook.headers.x-other}}", "the trigger names x-event in headers, not x-other"],
    ["{{webhook.query.debug}}", "the trigger names env in query, not debug"],
    ["{{webhook.headers.x-event.a}}", "is text and has nothing below it"],
  ])("%s has the problem %p", (template, message) => {
    const problems = problemsOf(reading(template), trigger({}));
    if (message === null) expect(problems).toEqual([]);
    else expect(problems).toMatchObject([{ path: "nodes.0.params.env.X", message: expect.stringContaining(message) }]);
  });

  test("get a fix for a misspelt name", () => {
    const fixes = (template: string) => problemsOf(reading(template), trigger({})).map(({ fix }) => fix?.title);
    expect(fixes("{{webhook.headers.x-evnt}}")).toEqual(["Use webhook.headers.x-event"]);
    expect(fixes("{{webhook.boddy.x}}")).toEqual(["Use webhook.body.x"]);
  });
});

describe("the sensitive parts of a body", () => {
  const variables = {
    body: { token: "s3cret-value", list: [{ pin: "112233" }, { pin: "445566" }], plain: "web-1" },
    headers: { "x-event": "push" },
    query: {},
  };
  const started = markSensitive(
    { type: "webhook", variables },
    trigger({ sensitive: ["body.token", "body.list.0.pin", "headers.x-event"] }),
  );

  test("are hidden in the trigger", () => {
    expect(shownTrigger(started)).toMatchObject({
      variables: {
        body: { token: HIDDEN, list: [{ pin: HIDDEN }, { pin: "445566" }], plain: "web-1" },
        headers: { "x-event": HIDDEN },
        query: {},
      },
    });
  });

  test("are hidden where a job uses them, or anything around them", () => {
    const hide = (written: string, rendered: string | object) =>
      hideSensitive(started, written, JSON.parse(JSON.stringify(rendered)));
    expect(hide("a={{webhook.body.token}}", "a=s3cret-value")).toBe(`a=${HIDDEN}`);
    expect(hide("{{webhook.body}}", variables.body)).toBe(HIDDEN);
    expect(hide("{{webhook.body.list.0}}", variables.body.list[0] ?? {})).toBe(HIDDEN);
    expect(hide("{{webhook.body.list.1.pin}}", "445566")).toBe("445566");
    expect(hide("{{webhook.body.plain}}", "web-1")).toBe("web-1");
    expect(hide("{{inputs.headers.x-event}}", "push")).toBe(HIDDEN);
  });

  test("are those of each member when a path goes through a list without a number", () => {
    const each = markSensitive({ type: "webhook", variables }, trigger({ sensitive: ["body.list.pin"] }));
    expect(shownTrigger(each)).toMatchObject({
      variables: { body: { token: "s3cret-value", list: [{ pin: HIDDEN }, { pin: HIDDEN }] } },
    });
    const hide = (written: string, rendered: JsonValue) => hideSensitive(each, written, rendered);
    expect(hide("pin {{webhook.body.list.1.pin}}", "pin 445566")).toBe(`pin ${HIDDEN}`);
    expect(hide("{{webhook.body.list.1}}", { pin: "445566" })).toBe(HIDDEN);
    expect(hide("{{foreach.item.pin}}", "112233")).toBe(HIDDEN);
    expect(hide("{{webhook.body.plain}}", "web-1")).toBe("web-1");
  });

  test("are so many in a sent list that a text is hidden whole", () => {
    const list = Array.from({ length: 500 }, (_, index) => ({ pin: String(100_000 + index) }));
    const large = { ...variables, body: { ...variables.body, list } };
    const each = markSensitive({ type: "webhook", variables: large }, trigger({ sensitive: ["body.list.pin"] }));
    expect(hideSensitive(each, "{{webhook.body.plain}}", "web-1")).toBe(HIDDEN);
  });

  test("are all of it when the whole body is named", () => {
    const whole = markSensitive({ type: "webhook", variables }, trigger({ sensitive: ["body"] }));
    expect(shownTrigger(whole)).toMatchObject({ variables: { body: HIDDEN, query: {} } });
  });

  test("stay hidden in a run by hand and in its retry", () => {
    const byHand = markSensitive({ type: "manual", variables, by: null }, trigger({ sensitive: ["body.token"] }));
    expect(shownTrigger(markSensitive(byHand, trigger({})))).toMatchObject({ variables: { body: { token: HIDDEN } } });
  });
});
