import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { AccountAgent, accountsMissing } from "../../support/account-agent.ts";
import { KubernetesApi } from "../../support/kubernetes-api/index.ts";

setDefaultTimeout(60_000);

/** A uid of no other process on this machine. */
const uid = randomInt(200_000, 300_000);

describe.skipIf(accountsMissing !== null)(
  `a host file of a connection, with an agent of root ${accountsMissing ?? ""}`,
  () => {
    let machine: AccountAgent;
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "bellhop-files-"));
      await chmod(directory, 0o755);
      machine = await AccountAgent.make();
      await machine.start({ env: { JOB_USER: String(uid), ALLOW_PRIVATE_NETWORK: "true" } });
    });
    afterAll(async () => {
      await machine.remove();
      await rm(directory, { recursive: true, force: true });
    });

    describe("for Kubernetes", () => {
      let api: KubernetesApi;
      beforeAll(async () => {
        api = await KubernetesApi.start();
        api.state.addPod("web-0");
      });
      afterAll(() => api.stop());

      /** Writes the files, owned by root except those in `ofJobs`, which belong to the account of jobs. */
      const write = async (files: Record<string, string>, ofJobs: readonly string[]): Promise<void> => {
        for (const [name, text] of Object.entries(files)) {
          const path = join(directory, name);
          await rm(path, { force: true });
          await writeFile(path, text, { mode: 0o700 });
          if (ofJobs.includes(name)) await chown(path, uid, uid);
        }
      };
      const files = (): Record<string, string> => {
        const { authority, client } = api.certificates;
        const credential = {
          kind: "ExecCredential",
          apiVersion: "client.authentication.k8s.io/v1",
          status: { token: api.token },
        };
        const plugin = `#!/bin/sh\n[ "$(id -u)" = ${uid} ] && echo '${JSON.stringify(credential)}'\n`;
        return { authority, token: api.token, certificate: client.cert, key: client.key, plugin };
      };
      const getLogs = async (user: JsonObject, ofJobs: readonly string[]) => {
        const kubeconfig = api.kubeconfig({ cluster: { "certificate-authority": "authority" }, user });
        await write({ ...files(), kubeconfig }, ofJobs);
        const config = { kubeconfigPath: join(directory, "kubeconfig") };
        const connection = { id: "con_kubernetes", type: "kubernetes" as const, config };
        return machine.run({ action: "kubernetes.getLogs", connection, params: { pod: "web-0" } });
      };
      const BY_TOKEN = { tokenFile: "token" };
      const BY_KEY = { "client-certificate": "certificate", "client-key": "key" };
      const BY_PLUGIN = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "./plugin" } };
      const COMMON = ["kubeconfig", "authority"];

      test("is opened as the account of jobs", async () => {
        expect(machine.service.registrations[0]).toMatchObject({
          isolation: "account",
          isolationReason: `jobs run as a separate account (uid ${uid})`,
        });
        expect(await getLogs(BY_TOKEN, [...COMMON, "token"])).toMatchObject({ status: "succeeded" });
        expect(await getLogs(BY_KEY, [...COMMON, "certificate", "key"])).toMatchObject({ status: "succeeded" });
      });

      test("is run as the account of jobs", async () => {
        expect(await getLogs(BY_PLUGIN, [...COMMON, "plugin"])).toMatchObject({ status: "succeeded" });
      });

      test.each<[string, JsonObject, string[]]>([
        ["kubeconfig", BY_TOKEN, ["authority", "token"]],
        ["authority", BY_TOKEN, ["kubeconfig", "token"]],
        ["token", BY_TOKEN, COMMON],
        ["certificate", BY_KEY, [...COMMON, "key"]],
        ["key", BY_KEY, [...COMMON, "certificate"]],
      ])("is not opened when only root may read it: %s", async (name, user, ofJobs) => {
        const { status, error } = await getLogs(user, ofJobs);
        expect({ status, code: error?.code }).toEqual({ status: "failed", code: "invalid_credential" });
        expect(error?.message).toContain(
          `${join(directory, name)} may not be read by jobs. Give the account of jobs the right to read it.`,
        );
      });

      test("is not run when only root may run it", async () => {
        const { status, error } = await getLogs(BY_PLUGIN, COMMON);
        expect({ status, code: error?.code }).toEqual({ status: "failed", code: "invalid_credential" });
        expect(error?.message).toContain("could not be started: EACCES");
      });

      test("may be neither a device nor the agent's own state", async () => {
        const connectionTo = (kubeconfigPath: string) => ({
          id: "con_k",
          type: "kubernetes" as const,
          config: { kubeconfigPath },
        });
        const run = async (path: string) =>
          (
            await machine.run({
              action: "kubernetes.getLogs",
              connection: connectionTo(path),
              params: { pod: "web-0" },
            })
          ).error;
        expect((await run("/dev/zero"))?.message).toContain("is not a file");
        for (const name of ["vault.json", "admin-token"]) {
          expect((await run(machine.home.path(name)))?.message).toContain("may not be read by jobs");
        }
      });
    });

    describe("as a SQLite database", () => {
      const path = () => join(directory, "shop.db");
      const query = (more: JsonObject = {}) =>
        machine.run({
          action: "database.executeQuery",
          connection: {
            id: "con_sqlite",
            type: "database",
            config: { driver: "sqlite", database: path(), tls: "off" },
          },
          params: { query: "SELECT name FROM goods", ...more },
        });
      beforeAll(() => {
        using database = new Database(path(), { create: true });
        database.run("CREATE TABLE goods AS SELECT 'tea' AS name");
      });

      test("is not opened when only root may read it, and the error says what to do", async () => {
        await chmod(path(), 0o600);
        const { status, error } = await query();
        expect({ status, code: error?.code }).toEqual({ status: "failed", code: "unreachable" });
        expect(error?.message).toContain(`The account of jobs may not read and write ${path()}`);
        expect((await query({ readOnly: true })).error?.message).toContain("may not read ");
      });

      test("is read when the account of jobs may read it", async () => {
        await chown(path(), uid, uid);
        expect(await query({ readOnly: true })).toMatchObject({
          status: "succeeded",
          output: { rows: [{ name: "tea" }] },
        });
      });
    });
  },
);
