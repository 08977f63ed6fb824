import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { boundTo, targetFor } from "../support/bound-credential.ts";
import { SSH } from "../support/connection-types/ssh.ts";
import { Parts } from "./parts.ts";

/** The secrets that the agent's loops get from the vault for `secretsFrom` of a job. */
describe("a job whose script asks for the secrets of a custom connection", () => {
  let parts: Parts;
  beforeEach(async () => {
    parts = await Parts.start();
    await parts.vault.put("con_deploy", boundTo("custom", { fields: { a: 1 } }, { TOKEN: "tok-0f-the-vault" }));
  });
  afterEach(() => parts.stop());

  const job = (params: object) => ({ action: "script.bash", params: { script: "deploy", ...params } });

  test("gets them, and they are masked while it runs, even if the vault changes", async () => {
    const { id } = parts.service.enqueue(job({ secretsFrom: "con_deploy" }));
    await parts.poll();
    expect(parts.executor.begun[0]).toMatchObject({ scriptSecrets: { TOKEN: "tok-0f-the-vault" } });
    expect(parts.runner.secretsInUse()).toContainEqual({ TOKEN: "tok-0f-the-vault" });
    parts.executor.end(id);
    await parts.runner.idle();
    expect(parts.runner.secretsInUse()).toEqual([]);
  });

  test("without secretsFrom gets none", async () => {
    const { id } = parts.service.enqueue(job({}));
    await parts.poll();
    expect(parts.executor.begun[0]?.scriptSecrets).toEqual({});
    expect(JSON.stringify(parts.runner.secretsInUse())).not.toContain("tok-0f-the-vault");
    parts.executor.end(id);
    await parts.runner.idle();
  });

  test("does not begin when secretsFrom names another type's credential or an unbound one", async () => {
    await parts.vault.put("con_host", boundTo("ssh", SSH, { password: "canary-of-a-host" }));
    await parts.vault.put("con_new", { secrets: { TOKEN: "canary-unbound" } });
    const refused = await parts.done(job({ secretsFrom: "con_host" }));
    expect(refused).toMatchObject({ status: "failed", output: null, error: { code: "target_changed" } });
    const unbound = await parts.done(job({ secretsFrom: "con_new" }));
    expect(unbound).toMatchObject({ status: "failed", output: null, error: { code: "credential_unbound" } });
    expect(parts.executor.begun).toEqual([]);
  });

  test("does not begin when the custom connection's fields differ from the target of its credential", async () => {
    const secretsConnection = { id: "con_deploy", type: "custom" as const, config: { fields: { a: 2 } } };
    const refused = await parts.done({ ...job({ secretsFrom: "con_deploy" }), secretsConnection });
    expect(refused).toMatchObject({ status: "failed", output: null, error: { code: "target_changed" } });
    expect(parts.executor.begun).toEqual([]);
  });

  test("does not begin when the credential is for other workflows", async () => {
    const fields = { fields: { a: 1 } };
    const target = targetFor("custom", fields, ["wf_1"]);
    await parts.vault.put("con_deploy", { secrets: { TOKEN: "tok-0f-the-vault" }, target });
    const secretsConnection = { id: "con_deploy", type: "custom" as const, config: fields, workflows: ["wf_1"] };
    const given = { ...job({ secretsFrom: "con_deploy" }), secretsConnection };
    expect(await parts.done({ ...given, workflowId: "wf_2" })).toMatchObject({ error: { code: "workflow_refused" } });
    expect(parts.executor.begun).toEqual([]);
    const { id } = parts.service.enqueue({ ...given, workflowId: "wf_1" });
    await parts.poll();
    expect(parts.executor.begun[0]).toMatchObject({ scriptSecrets: { TOKEN: "tok-0f-the-vault" } });
    parts.executor.end(id);
    await parts.runner.idle();
  });

  test("gets the secrets of the connection in secretsFrom, even if secretsConnection is another one", async () => {
    const secretsConnection = { id: "con_other", type: "custom" as const, config: { fields: { a: 2 } } };
    const { id } = parts.service.enqueue({ ...job({ secretsFrom: "con_deploy" }), secretsConnection });
    await parts.poll();
    expect(parts.executor.begun[0]).toMatchObject({ scriptSecrets: { TOKEN: "tok-0f-the-vault" } });
    parts.executor.end(id);
    await parts.runner.idle();
  });

  test("does not begin when the vault has no credential for secretsFrom", async () => {
    const { id } = parts.service.enqueue(job({ secretsFrom: "con_other" }));
    await parts.poll();
    await parts.runner.idle();
    await parts.poll();
    expect(parts.executor.begun).toEqual([]);
    expect(parts.service.resultsOf(id)[0]).toMatchObject({ status: "failed", error: { code: "credential_missing" } });
  });
});
