import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  createIntegration,
  deliver,
  eventTypes,
  executionsOf,
  getIncident,
  incidentWorkflow,
  matched,
  outcomesOf,
  resultsOf,
} from "../support/incidents.ts";
import type { Integration } from "../support/incidents.ts";
import { errorPathsOf, problemOf } from "../support/management-api.ts";

const STRUCTURED = { "Content-Type": "application/cloudevents+json; charset=utf-8" };
const BATCH = { "Content-Type": "application/cloudevents-batch+json" };

let bellhop: Bellhop;
let integration: Integration;
beforeAll(async () => {
  bellhop = await startBellhop();
  integration = await createIntegration(bellhop, "cloudevents");
});
afterAll(() => bellhop.stop());

const anEvent = (changes: object = {}) => ({
  specversion: "1.0",
  id: crypto.randomUUID(),
  source: "/monitor",
  type: "com.example.disk.full",
  subject: crypto.randomUUID(),
  ...changes,
});
const send = (event: unknown) => deliver(integration, event, STRUCTURED);
const sendBatch = (...events: unknown[]) => deliver(integration, events, BATCH);
const onlyId = async (response: Response) => (await resultsOf(response))[0]?.incidentId ?? "none";

describe("a structured event", () => {
  test("becomes an incident with the fields of its data, and starts the workflows that match it", async () => {
    const workflowId = await incidentWorkflow(bellhop, {
      conditions: { logic: "all", conditions: [{ field: "tags.ce.type", operator: "equals", value: "start.me" }] },
    });
    const data = { title: "Disk full", description: "sda1", severity: "P1", host: "web-1", tags: { free: 3 } };
    const event = anEvent({ type: "start.me", data });
    const id = await onlyId(await send(event));
    expect(await getIncident(bellhop, id)).toMatchObject({
      title: "Disk full",
      description: "sda1",
      severity: "critical",
      host: "web-1",
      source: "a source",
      tags: { free: "3", "ce.type": "start.me", "ce.source": "/monitor", "ce.subject": event.subject },
    });
    await matched(bellhop);
    expect(await executionsOf(bellhop, workflowId)).toMatchObject([{ trigger: { incident: { id } } }]);
  });

  test("acknowledges and resolves the incident of its source and subject", async () => {
    const opened = anEvent();
    const id = await onlyId(await send(opened));
    const next = (type: string, data: object = {}) => send(anEvent({ type, subject: opened.subject, data }));
    expect(await outcomesOf(await next("com.example.disk.acknowledged"))).toEqual(["acknowledged"]);
    expect(await outcomesOf(await next("com.example.disk.updated", { status: "acknowledged" }))).toEqual(["unchanged"]);
    expect(await outcomesOf(await next("com.example.disk.updated", { status: "resolved" }))).toEqual(["resolved"]);
    expect(await outcomesOf(await next("com.example.disk.resolved"))).toEqual(["ignored"]);
    expect(await eventTypes(bellhop, id)).toEqual(["incident.created", "incident.acknowledged", "incident.resolved"]);
  });

  test("is processed once: its repeats, late or simultaneous, do nothing", async () => {
    const opened = anEvent();
    const answers = await Promise.all([send(opened), send(opened), send(opened)]);
    expect((await Promise.all(answers.map(outcomesOf))).flat().sort()).toEqual(["created", "ignored", "ignored"]);
    const over = anEvent({ type: "disk.resolved", subject: opened.subject });
    expect(await outcomesOf(await send(over))).toEqual(["resolved"]);
    expect(await outcomesOf(await send(opened))).toEqual(["ignored"]);
    const firingAgain = anEvent({ subject: opened.subject });
    const id = await onlyId(await send(firingAgain));
    // The old end comes again, too late for the new incident.
    expect(await outcomesOf(await send(over))).toEqual(["ignored"]);
    expect(await getIncident(bellhop, id)).toMatchObject({ status: "triggered" });
  });

  test("is processed once also when it is an end without a beginning", async () => {
    const over = anEvent({ type: "disk.resolved" });
    expect(await outcomesOf(await send(over))).toEqual(["ignored"]);
    const id = await onlyId(await send(anEvent({ subject: over.subject })));
    expect(await outcomesOf(await send(over))).toEqual(["ignored"]);
    expect(await getIncident(bellhop, id)).toMatchObject({ status: "triggered" });
  });

  test("of any producer is accepted: data of another shape under a known name is ignored", async () => {
    const kubernetes = { kind: "Pod", status: { phase: "Failed" }, message: {}, source: {}, tags: ["a"], severity: 3 };
    const id = await onlyId(await send(anEvent({ data: kubernetes })));
    expect(await getIncident(bellhop, id)).toMatchObject({ severity: "medium", source: "a source" });
  });

  test("for a subject with an open incident updates that incident", async () => {
    const opened = anEvent({ data: { severity: "low" } });
    const id = await onlyId(await send(opened));
    const worse = anEvent({ subject: opened.subject, data: { severity: "critical", title: "Worse" } });
    expect(await resultsOf(await send(worse))).toMatchObject([{ outcome: "updated", incidentId: id }]);
    expect(await getIncident(bellhop, id)).toMatchObject({ severity: "critical", title: "Worse" });
  });
});

describe("a binary event", () => {
  const headers = (changes: Record<string, string> = {}) => ({
    "ce-specversion": "1.0",
    "ce-id": crypto.randomUUID(),
    "ce-source": "/monitor",
    "ce-type": "com.example.disk.full",
    ...changes,
  });

  test("has its attributes in headers, percent-decoded, and its data as the body", async () => {
    const subject = "Z%C3%BCrich%20%E2%82%AC";
    const id = await onlyId(await deliver(integration, { title: "Disk full" }, headers({ "ce-subject": subject })));
    expect(await getIncident(bellhop, id)).toMatchObject({
      title: "Disk full",
      dedupKey: "/monitor Zürich €",
      tags: { "ce.subject": "Zürich €" },
    });
  });

  test("may have text as data, or no data", async () => {
    const text = await deliver(integration, "it is full", headers({ "Content-Type": "text/plain" }));
    expect(await getIncident(bellhop, await onlyId(text))).toMatchObject({
      title: "com.example.disk.full",
      description: "it is full",
    });
    const none = await fetch(integration.url, { method: "POST", headers: headers() });
    expect(await outcomesOf(none)).toEqual(["created"]);
  });

  test.each([
    ["application/vnd.Foo_bar+json", '{"title":"Full"}', "Full"],
    ["text/json", '{"title":"Full"}', "Full"],
    ["application/cloudevent-data+json; charset=utf-8", '{"title":"Full"}', "Full"],
    ["application/xml", "<title>Full</title>", "com.example.disk.full"],
    ["application/octet-stream", "\u0000", "com.example.disk.full"],
  ])("of type %s is stored, with its data if that is JSON", async (contentType, body, title) => {
    const id = await onlyId(await deliver(integration, body, headers({ "Content-Type": contentType })));
    expect(await getIncident(bellhop, id)).toMatchObject({
      title,
      description: null,
      tags: { "ce.datacontenttype": contentType.split(";")[0]?.toLowerCase() ?? "" },
    });
  });

  test("that lacks attributes is refused with the missing names", async () => {
    const sent = { "ce-specversion": "0.3", "ce-type": "x" };
    expect(await errorPathsOf(await deliver(integration, {}, sent))).toEqual(["id", "source", "specversion"]);
  });
});

describe("a batch", () => {
  test("is processed event by event, in order for events of one subject", async () => {
    const subject = crypto.randomUUID();
    const life = [
      anEvent({ subject, data: { title: "life" } }),
      anEvent({ subject, type: "disk.acknowledged" }),
      anEvent({ subject, type: "disk.resolved" }),
      anEvent({ subject }),
    ];
    const results = await resultsOf(await sendBatch(...life, anEvent()));
    expect(results.map(({ outcome }) => outcome)).toEqual([
      "created",
      "acknowledged",
      "resolved",
      "created",
      "created",
    ]);
    expect(await eventTypes(bellhop, results[0]?.incidentId ?? "")).toEqual([
      "incident.created",
      "incident.acknowledged",
      "incident.resolved",
    ]);
  });

  test("processes the valid events in spite of an invalid one", async () => {
    const results = await resultsOf(await sendBatch(anEvent({ id: "" }), anEvent(), anEvent({ type: 5 })));
    expect(results.map(({ outcome }) => outcome)).toEqual(["rejected", "created", "rejected"]);
    expect(results.map(({ detail }) => detail ?? "")).toEqual(["0.id must not be empty", "", "2.type must be text"]);
  });

  test("must be a list", async () => {
    await problemOf(await deliver(integration, anEvent(), BATCH), 400, "invalid_request");
  });
});

describe("a request that is not a CloudEvent", () => {
  test.each<[string, unknown, string[]]>([
    ["an empty object", {}, ["id", "source", "specversion", "type"]],
    ["another version", anEvent({ specversion: "0.3" }), ["specversion"]],
    ["an end without a subject", anEvent({ type: "x.resolved", subject: undefined }), ["subject"]],
  ])("is refused with the paths: %s", async (_name, event, paths) => {
    expect(await errorPathsOf(await send(event))).toEqual(paths);
  });

  test.each(["application/json", "application/cloudevents+avro", "text/plain"])(
    "of type %s without ce-specversion gets a problem that says how to send events",
    async (contentType) => {
      const answer = await deliver(integration, anEvent(), { "Content-Type": contentType });
      const problem = await problemOf(answer, 415, "unsupported_media_type");
      expect(problem.detail).toContain("application/cloudevents+json");
    },
  );

  test("is refused when its body is empty", async () => {
    await problemOf(await deliver(integration, "", STRUCTURED), 400, "invalid_request");
  });
});
