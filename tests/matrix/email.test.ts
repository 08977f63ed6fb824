import { afterAll, beforeAll, expect } from "bun:test";
import { z } from "zod";
import type { JsonObject } from "../../schema/contract/json.ts";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { Exim, EXIM_NAME, EXIM_PASSWORD, EXIM_USER, eximMissing } from "../support/exim.ts";
import { freePort } from "../support/free-port.ts";
import { partText } from "../support/parse-mail.ts";
import type { JobToRun } from "../support/run-job.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

let exim: Exim;
let agent: TrustingAgent;
beforeAll(async () => {
  if (eximMissing !== null) return;
  exim = await Exim.start();
  agent = new TrustingAgent(exim.certificateFile);
});
afterAll(async () => {
  await agent?.stop();
  await exim?.stop();
});

function letter(subject: string, config: JsonObject = {}, changes: Partial<JobToRun> = {}): JobToRun {
  return {
    type: "email",
    action: "email.sendEmail",
    config: { smtpHost: exim.host, smtpPort: exim.port, useTls: true, fromAddress: EXIM_USER, ...config },
    secrets: { password: EXIM_PASSWORD },
    params: { to: "ada@bellhop.test", subject, text: "It works again." },
    ...changes,
  };
}

/** The server's events for a message to this address: the recipient, then the end of the connection. */
async function waited(times: number): Promise<boolean> {
  return (await exim.log()).split("slow waits").length - 1 === times;
}
async function disconnected(times: number): Promise<boolean> {
  return (await exim.log()).split("lost while reading message data").length - 1 === times;
}

connectionMatrix("email", {
  action: {
    skip: eximMissing,
    run: async () => {
      const result = await agent.run(letter("a message"));
      expect(result).toMatchObject({ status: "succeeded", output: { accepted: ["ada@bellhop.test"], rejected: [] } });
      expect(partText(await exim.mail("a message"), "text/plain").trim()).toBe("It works again.");
    },
  },
  "bad credentials": {
    skip: eximMissing,
    run: async () => {
      const result = await agent.run(letter("no login", {}, { secrets: { password: "wrong" } }));
      expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(result.error?.message).toContain("535");
    },
  },
  unreachable: {
    skip: eximMissing,
    run: async () => {
      const result = await agent.run(letter("nowhere", { smtpPort: await freePort() }));
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
    },
  },
  "time-out": {
    skip: eximMissing,
    run: async () => {
      const params = { to: "slow@bellhop.test", subject: "too late", text: "x" };
      const job = agent.begin(letter("", {}, { params }));
      await eventually("the server to get the recipient", () => waited(1));
      job.timeOut();
      const result = await job.result;
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(result.error?.message).toContain("The message was not sent");
      await eventually("the server to see the connection end", () => disconnected(1));
    },
  },
  cancel: {
    skip: eximMissing,
    run: async () => {
      const params = { to: "slow@bellhop.test", subject: "changed my mind", text: "x" };
      const job = agent.begin(letter("", {}, { params }));
      await eventually("the server to get the recipient", () => waited(2));
      job.cancel();
      const result = await job.result;
      expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      expect(result.error?.message).toContain("The message was not sent");
      await eventually("the server to see the connection end", () => disconnected(2));
    },
  },
  "oversize output": {
    skip: eximMissing,
    run: async () => {
      const chatty = Array.from({ length: 99 }, (_, index) => `chatty${index}@bellhop.test`);
      const params = { to: ["ada@bellhop.test", ...chatty], subject: "many refusals", text: "x" };
      const { status, output } = await agent.run(letter("", {}, { params }));
      expect(status).toBe("succeeded");
      const [first] = z
        .array(z.object({ detail: z.string() }))
        .length(99)
        .parse(output?.["rejected"]);
      expect(first?.detail).toHaveLength(500);
      expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(262_144);
    },
  },
  "connection test": {
    skip: eximMissing,
    run: async () => {
      const result = await agent.run(letter("", {}, { action: null, params: {} }));
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      for (const part of [EXIM_NAME, "STARTTLS", "Authentication"]) {
        expect(JSON.stringify(result.output)).toContain(part);
      }
      return [result.output?.["checks"]];
    },
  },
});
