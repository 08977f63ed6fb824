import { describe, expect, test } from "bun:test";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import { decidingWindow, servicesOf, stateOf } from "../../worker/domain/maintenance.ts";
import type { MaintenanceWindow } from "../../worker/domain/maintenance.ts";

const window = (fields: Partial<MaintenanceWindow>): MaintenanceWindow => ({
  id: "mwn_1",
  name: "a window",
  revision: 1,
  startsAt: 1_000,
  endsAt: 2_000,
  mode: "hold",
  everything: false,
  workflowIds: [],
  tags: [],
  services: [],
  ...fields,
});
const subject = { workflowId: "wf_1", tags: ["payments", "night"], services: ["Checkout"] };
const decides = (windows: MaintenanceWindow[], now = 1_500) => decidingWindow(windows, subject, now)?.id ?? null;

describe("a maintenance window", () => {
  test.each([
    [999, "planned"],
    [1_000, "open"],
    [1_999, "open"],
    [2_000, "ended"],
  ] as const)("from 1,000 to 2,000 is at %p %p", (now, state) => {
    expect(stateOf(window({}), now)).toBe(state);
    expect(decides([window({ everything: true })], now)).toBe(state === "open" ? "mwn_1" : null);
  });

  test.each([
    [{ everything: true }, true],
    [{ workflowIds: ["wf_2", "wf_1"] }, true],
    [{ workflowIds: ["wf_2"] }, false],
    [{ tags: ["night"] }, true],
    [{ tags: ["nigh"] }, false],
    [{ services: [" CHECKOUT"] }, true],
    [{ services: ["check"] }, false],
    [{ workflowIds: ["wf_2"], tags: ["storage"], services: ["checkout"] }, true],
    [{}, false],
  ])("with %j applies: %p", (fields, applies) => {
    expect(decides([window(fields)])).toBe(applies ? "mwn_1" : null);
  });

  test("applies to a service with composed and with decomposed letters", () => {
    const services = ["caf\u00e9"];
    expect(decidingWindow([window({ services: ["Cafe\u0301"] })], { ...subject, services }, 1_500)?.id).toBe("mwn_1");
  });

  test("by service does not apply to a run about no service", () => {
    expect(decidingWindow([window({ services: ["checkout"] })], { ...subject, services: [] }, 1_500)).toBeNull();
  });

  test("that skips comes before one that asks, and that before one that holds", () => {
    const [hold, ask, skip] = (["hold", "ask", "skip"] as const).map((mode) =>
      window({ id: mode, mode, everything: true, endsAt: mode === "hold" ? 9_000 : 2_000 }),
    );
    if (hold === undefined || ask === undefined || skip === undefined) throw new Error("three windows");
    expect(decides([hold, ask, skip])).toBe("skip");
    expect(decides([hold, ask])).toBe("ask");
    expect(decides([ask, hold], 2_000)).toBe("hold");
    expect(decides([hold, { ...skip, everything: false, tags: ["other"] }])).toBe("hold");
  });

  test("that ends last decides among those of one mode", () => {
    const of = (id: string, endsAt: number) => window({ id, endsAt, everything: true });
    expect(decides([of("a", 2_000), of("b", 3_000), of("c", 2_500)])).toBe("b");
    expect(decides([of("b", 2_000), of("a", 2_000)])).toBe("a");
  });
});

test.each<[ExecutionTrigger, string[]]>([
  [{ type: "incident", incident: { service: "checkout" } }, ["checkout"]],
  [{ type: "incident", incident: { service: null } }, []],
  [
    { type: "incident", incident: { service: "a", batch: [{ service: "a" }, { service: "b" }, { service: null }, 7] } },
    ["a", "b"],
  ],
  [{ type: "webhook", variables: { service: "checkout", body: { service: "other" } } }, ["checkout"]],
  [{ type: "webhook", variables: { service: "checkout" } }, ["checkout"]],
  [{ type: "webhook", variables: { service: ["checkout"] } }, []],
  [{ type: "webhook", variables: {} }, []],
  [{ type: "webhook", variables: { body: { service: "checkout" }, headers: {}, query: {} } }, ["checkout"]],
  [{ type: "webhook", variables: { body: "checkout" } }, []],
  [
    {
      type: "webhook",
      variables: { body: { commonLabels: { service: "a" }, alerts: [{ labels: { service: "a" } }] } },
    },
    ["a"],
  ],
  [
    {
      type: "webhook",
      variables: {
        body: { commonLabels: {}, alerts: [{ labels: { service: "a" } }, { labels: { service: "b" } }, 7] },
      },
    },
    ["a", "b"],
  ],
  [
    {
      type: "webhook",
      variables: {
        body: {
          alerts: [
            { status: "resolved", labels: { service: "a" } },
            { status: "firing", labels: { service: "b" } },
          ],
        },
      },
    },
    ["b"],
  ],
  [{ type: "webhook", variables: { body: { event: { data: { service: { id: "P1", summary: "Shop" } } } } } }, ["Shop"]],
  [{ type: "webhook", variables: { body: { repository: { full_name: "example/shop" } } } }, ["example/shop"]],
  [{ type: "webhook", variables: { body: [], alerts: 7 } }, []],
  [{ type: "failure", failed: { key: "checkout", incident: { service: "checkout" } } }, ["checkout"]],
  [{ type: "webhook", variables: { body: { commonLabels: { service: "a" } } } }, ["a"]],
  [{ type: "manual", variables: { service: "checkout" }, by: null }, []],
  [{ type: "failure", failed: { incident: { service: "checkout" } } }, ["checkout"]],
  [{ type: "failure", failed: { service: "checkout" } }, []],
  [{ type: "cron", scheduledAt: "2026-11-21T00:00:00.000Z" }, []],
])("the services of %j are %p", (trigger, services) => {
  expect(servicesOf(trigger)).toEqual(services);
});
