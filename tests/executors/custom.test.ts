import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, runTest, temporaryState } from "../support/executor-context.ts";
import { onAnyCommandLine } from "../support/processes.ts";
import { runJob } from "../support/run-job.ts";

const config = { fields: { REGION: "eu", limits: { cpu: 2 }, SHARED: "field" } };
const secrets = { DEPLOY_TOKEN: "tok-3cr3t-value", "not a name": "unused", SHARED: "secret" };
let state: { path: string; remove: () => Promise<void> };
beforeAll(async () => {
  state = await temporaryState();
});
afterAll(() => state.remove());

function bash(script: string, more: Parameters<typeof runAction>[2] = {}) {
  return runAction("custom", "script.bash", { config, ...more, params: { script, ...more.params } });
}

describe("a script on a custom connection", () => {
  test("finds fields and secrets as environment variables; a secret wins over a field of the same name", async () => {
    const outcome = await bash('echo "$REGION $limits $DEPLOY_TOKEN $SHARED"', { secrets });
    expect(outputOf(outcome)["stdout"]).toBe('eu {"cpu":2} tok-3cr3t-value secret\n');
  });

  test("never has fields, secrets or values on a command line", async () => {
    const controller = new AbortController();
    const ready = join(state.path, "secret-ready");
    const running = bash(`test -n "$DEPLOY_TOKEN$VALUE$EXTRA" && touch ${ready} && sleep 60.03125`, {
      secrets,
      scriptSecrets: { EXTRA: "secret-0f-another" },
      values: { VALUE: "value-0f-a-template" },
      signal: controller.signal,
    });
    await eventually("the script to begin", async () => (await readdir(state.path)).includes("secret-ready"));
    await eventually("the last command to run", () => onAnyCommandLine("sleep 60.03125"));
    for (const secret of ["tok-3cr3t-value", "value-0f-a-template", "secret-0f-another"]) {
      expect(onAnyCommandLine(secret)).toBe(false);
    }
    controller.abort();
    await running;
  });

  test("runs with fields alone", async () => {
    expect(outputOf(await bash('echo "$REGION"'))["stdout"]).toBe("eu\n");
  });

  test.each(["PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "BELLHOP_VALUE_1", "bellhop_dir"])(
    "does not run with a secret named %s, which would change what programs do",
    async (name) => {
      const { code, message } = failureOf(await bash("echo ran", { secrets: { [name]: "/tmp/3vil", OTHER: "x" } }));
      expect(code).toBe("invalid_credential");
      expect(message).toContain(name);
      expect(message).not.toContain("3vil");
      const fields: JsonObject = { [name]: "/tmp/3vil" };
      expect(failureOf(await bash("echo ran", { config: { fields } })).code).toBe("invalid_config");
    },
  );

  test.each([
    ["a NUL character", "a\0b"],
    ["more bytes than a variable can have", "x".repeat(140_000)],
  ])("does not run with a secret of %s, and names the secret", async (_what, value) => {
    const { code, message } = failureOf(await bash("echo ran", { secrets: { DEPLOY_TOKEN: value } }));
    expect(code).toBe("invalid_credential");
    expect(message).toContain("DEPLOY_TOKEN");
    expect(message.length).toBeLessThan(500);
  });
});

test("a script's output has masks for secrets of six or more characters, but not for user names and short values", async () => {
  const script = `echo "workshops $username $PIN $LICENCE"; printf %s "$PIN" | base64; printf %s "$username:$password" | base64
    echo "$username was refused with $password and $LICENCE" >&2; exit 1`;
  const result = await runJob({
    type: "custom",
    config,
    secrets: { username: "workshop", password: "s3cret", PIN: "12345", LICENCE: "l1cenc" },
    action: "script.bash",
    params: { script },
  });
  expect(result.output).toMatchObject({
    stdout: "workshops workshop 12345 ***\nMTIzNDU=\n***\n",
    stderr: "workshop was refused with *** and ***\n",
  });
  expect(result.error).toMatchObject({ code: "nonzero_exit" });
  expect(result.error?.message).toContain("workshop was refused with *** and ***");
});

describe("a test of a custom connection", () => {
  const credentialCheck = async (given: Record<string, string> | null) =>
    (await runTest("custom", { config, secrets: given })).at(-1);

  test("names each interpreter, then the secrets that scripts find", async () => {
    const checks = await runTest("custom", { config, secrets: { DEPLOY_TOKEN: "tok-3cr3t-value" } });
    expect(checks.map(({ name }) => name)).toEqual(["bash", "python", "powershell", "Credential"]);
    expect(checks.at(-1)).toEqual({ name: "Credential", ok: true, detail: "Scripts find: DEPLOY_TOKEN." });
  });

  test.each<[string, Record<string, string> | null, string]>([
    ["no credential", null, "Deliver its secrets"],
    ["a secret whose name is no variable name", secrets, "not a name"],
    ["a secret that changes how programs run", { LD_PRELOAD: "v4lue" }, "LD_PRELOAD"],
    ["a secret with a NUL character", { TOKEN: "v4lue\0" }, "TOKEN"],
  ])("fails with %s", async (_what, given, detail) => {
    const check = await credentialCheck(given);
    expect(check).toMatchObject({ name: "Credential", ok: false });
    expect(check?.detail).toContain(detail);
    expect(check?.detail).not.toContain("v4lue");
  });
});

describe("a script that gets the secrets of another, custom connection", () => {
  const otherSecrets = { con_deploy: { DEPLOY_TOKEN: "tok-0f-another", SHARED: "of the other" } };
  const script = (text: string, more: JsonObject = {}) => ({
    type: "script" as const,
    action: "script.bash",
    params: { script: text, secretsFrom: "con_deploy", ...more },
    otherSecrets,
  });

  test("finds them as environment variables, masked in its output", async () => {
    const result = await runJob(script('test "$DEPLOY_TOKEN" = tok-0f-another && echo "got $DEPLOY_TOKEN"'));
    expect(result).toMatchObject({ status: "succeeded", output: { stdout: "got ***\n" } });
  });

  test("prefers them to its own connection's secrets, and `env` to both", async () => {
    const result = await runJob({
      ...script('test "$SHARED" = "of the other" && test "$DEPLOY_TOKEN" = set', { env: { DEPLOY_TOKEN: "set" } }),
      type: "custom",
      config,
      secrets,
    });
    expect(result.status).toBe("succeeded");
  });

  test("leaves no part of them where a long output is cut", async () => {
    const token = Array.from({ length: 250 }, (_, index) => `${index}-part`).join("");
    const text = 'for i in $(seq 300); do printf %s "$DEPLOY_TOKEN"; done';
    const result = await runJob({ ...script(text), otherSecrets: { con_deploy: { DEPLOY_TOKEN: token } } });
    expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
    expect(JSON.stringify(result.output)).not.toContain("-part");
  });

  test("does not run when the vault has none, and says what to deliver", async () => {
    const result = await runJob({ ...script("echo ran"), otherSecrets: {} });
    expect(result).toMatchObject({ status: "failed", output: null, error: { code: "credential_missing" } });
    expect(result.error?.message).toContain("con_deploy");
  });

  test.each(["../vault", "", { id: "con_deploy" }])("refuses the invalid id %j", async (secretsFrom) => {
    const result = await runJob(script("echo ran", { secretsFrom }));
    expect(result.status).toBe("failed");
    expect(result.output).toBeNull();
  });
});
