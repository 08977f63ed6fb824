import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildService } from "../../scripts/build-service.ts";
import { STATE_FORMAT } from "../../scripts/state-format.ts";
import { sqldMissing } from "../support/database-server.ts";
import { eventually } from "../support/eventually.ts";
import { Systemd, systemdMissing } from "../support/systemd/index.ts";

const LIMIT_MS = 300_000;
const WITHIN_MS = 120_000;
const READY = "http://127.0.0.1:8787/readyz";
const PATH = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
/** "Another database" of docs/deploy/one-machine.md. */
const SWITCH = `
ctl=/opt/bellhop/current/bin/bellhopctl
systemctl start bellhop-backup
$ctl database-settings > /etc/bellhop/database.env
$ctl restore --from $(ls -d /var/backups/bellhop/2* | tail -n 1) --state /var/lib/bellhop --in-flight continue --database sqld
systemctl start bellhop-libsql bellhop
`;
/** The server elsewhere is one that the service does not know. */
const ELSEWHERE = `
rm -r /var/lib/bellhop /etc/bellhop/database.env
systemd-run --quiet --setenv=DATABASE_AUTH_TOKEN=0123456789abcdef $1/bin/bellhopctl database --file /run/elsewhere.db --port 9876
$1/bin/bellhopctl wait http://127.0.0.1:9876/health
DATABASE_URL=http://127.0.0.1:9876 DATABASE_AUTH_TOKEN=0123456789abcdef sh $1/install.sh
`;

/** The installer and the unmodified units, on a test machine with a real systemd. */
describe.skipIf(systemdMissing !== null)(
  `a machine with systemd${systemdMissing === null ? "" : ` (${systemdMissing})`}`,
  () => {
    let directory: string;
    let machine: Systemd;
    let built: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "bellhop-installed-"));
      built = await buildService({ outdir: join(directory, "service") });
      machine = await Systemd.start();
      await makeRoom();
    }, LIMIT_MS);
    afterAll(async () => {
      await machine?.stop();
      await rm(directory, { recursive: true, force: true });
    });

    test(
      "is installed by one command, and serves as a separate user",
      async () => {
        const installed = await machine.run(["sh", join(built, "install.sh")]);
        expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
        expect(installed.stdout).toContain("runs on 127.0.0.1:8787");
        expect(await active()).toEqual(["active", "active", "active"]);
        expect(await status()).toBe("200");
        for (const unit of ["bellhop-libsql", "bellhop"]) {
          const pid = await machine.systemctl("show", "--property=MainPID", "--value", unit);
          const { stdout } = await machine.run(["stat", "--format=%U", `/proc/${pid}`]);
          expect(stdout.trim()).toBe("bellhop");
          // Systemd's tools show no one the contents of the settings' files.
          const shown = await machine.systemctl("show", unit);
          for (const secret of await secrets()) expect(shown).not.toContain(secret);
        }
      },
      LIMIT_MS,
    );

    test(
      "restarts a killed database and a killed Worker",
      async () => {
        for (const unit of ["bellhop-libsql", "bellhop"]) {
          const before = await machine.systemctl("show", "--property=MainPID", "--value", unit);
          await machine.systemctl("kill", "--signal=SIGKILL", unit);
          await eventually(
            `${unit} to be restarted`,
            async () => {
              const now = await machine.systemctl("show", "--property=MainPID", "--value", unit);
              return now !== "0" && now !== before && (await machine.systemctl("is-active", unit)) === "active";
            },
            WITHIN_MS,
          );
          await eventually("the service to be ready", async () => (await status()) === "200", WITHIN_MS);
        }
        expect(await active()).toEqual(["active", "active", "active"]);
      },
      LIMIT_MS,
    );

    test(
      "is backed up by its unit, and an upgrade makes a backup first and keeps settings and data",
      async () => {
        const kept = await secrets();
        expect((await machine.run(["systemctl", "start", "bellhop-backup.service"])).exitCode).toBe(0);
        expect(await backups()).toHaveLength(1);
        const upgraded = await machine.run(["sh", join(built, "install.sh")]);
        expect(upgraded).toMatchObject({ exitCode: 0 });
        expect(await backups()).toHaveLength(2);
        expect(await secrets()).toEqual(kept);
        expect(await status()).toBe("200");
      },
      LIMIT_MS,
    );

    test(
      "restores as root, onto an empty machine, files that belong to the service's user",
      async () => {
        const bellhopctl = "/opt/bellhop/current/bin/bellhopctl";
        const [backup = ""] = await backups();
        const restore = [
          bellhopctl,
          "restore",
          "--from",
          `/var/backups/bellhop/${backup}`,
          "--state",
          "/var/lib/bellhop",
          "--in-flight",
          "end",
        ];
        expect((await machine.run(restore)).stderr).toContain("systemctl stop bellhop.service");
        await machine.systemctl("stop", "bellhop", "bellhop-libsql");
        expect(await machine.run(["rm", "-r", "/var/lib/bellhop"])).toMatchObject({ exitCode: 0 });
        expect(await machine.run(restore)).toMatchObject({ exitCode: 0, stderr: "" });
        const { exitCode, stderr } = await machine.run(["systemctl", "start", "bellhop"]);
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
        expect(await status()).toBe("200");
      },
      LIMIT_MS,
    );

    test(
      "exports records to a directory when the setting names one: as the service's user, without its secrets",
      async () => {
        expect(await machine.systemctl("show", "--property=ActiveState", "--value", "bellhop-exports")).toBe(
          "inactive",
        );
        const use = (directory: string) => [
          "sed -i /RETENTION_EXPORT_DIRECTORY/d /etc/bellhop/bellhop.env",
          `echo RETENTION_EXPORT_DIRECTORY=${directory} >> /etc/bellhop/bellhop.env`,
          "systemctl restart bellhop",
        ];
        const at = "/var/lib/bellhop/exports";
        const socket = "/var/lib/bellhop/exports.sock";
        const put = `until test -S ${socket}; do sleep 0.1; done
printf x | runuser -u bellhop -- curl --silent --unix-socket ${socket} --upload-file - -H X-Content-Sha256:$(printf x | sha256sum | cut -c -64) http://exports/audit/2026/03/31/aud_a.ndjson`;
        const run = (...lines: string[]) => machine.run(["sh", "-ec", lines.join("\n")], PATH);
        expect(await run(...use(at), put)).toMatchObject({ exitCode: 0, stdout: "" });
        const stored = await run(`stat --format=%U:%a ${at} ${at}/audit/2026/03/31/aud_a.ndjson`);
        expect(stored.stdout).toBe("bellhop:700\nbellhop:600\n");
        const pid = await mainPid("bellhop-exports");
        const { stdout: environment } = await machine.run(["cat", `/proc/${pid}/environ`]);
        for (const secret of await secrets()) expect(environment).not.toContain(secret);

        const elsewhere = await run("mkdir /opt/records", "chown bellhop: /opt/records", ...use("/opt/records"), put);
        expect(elsewhere.stdout).toBe(
          "The export directory is read-only. For systemd, name it in ReadWritePaths= (docs/retention.md).",
        );
        const dropIn = "/etc/systemd/system/bellhop-exports.service.d";
        const allowed = await run(
          `mkdir ${dropIn}`,
          `printf '[Service]\\nReadWritePaths=/opt/records\\n' > ${dropIn}/directory.conf`,
          "systemctl daemon-reload",
          "systemctl restart bellhop",
          put,
          "test -s /opt/records/audit/2026/03/31/aud_a.ndjson",
        );
        expect(allowed).toMatchObject({ exitCode: 0, stdout: "" });
        expect(await run(...use(""))).toMatchObject({ exitCode: 0 });
        expect(await machine.systemctl("show", "--property=ActiveState", "--value", "bellhop-exports")).toBe(
          "inactive",
        );
        expect(await status()).toBe("200");
      },
      LIMIT_MS,
    );

    test(
      "has the state of an earlier version moved aside by the units, and the installer says where it is",
      async () => {
        await machine.systemctl("stop", "bellhop", "bellhop-libsql");
        expect(await machine.run(["rm", "/var/lib/bellhop/state-format"])).toMatchObject({ exitCode: 0 });
        const aside = `/var/lib/bellhop/state-before-${STATE_FORMAT}`;
        const installed = await machine.run(["sh", join(built, "install.sh")]);
        expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
        expect(installed.stdout).toContain(
          `The state of an earlier version was moved to ${aside}. Bellhop starts with empty state.`,
        );
        expect(await status()).toBe("200");
        const kept = await machine.run(["ls", aside]);
        expect(kept.stdout).toBe("database\nobjects\n");
        expect((await machine.run(["sh", join(built, "install.sh")])).stdout).not.toContain("earlier version");
      },
      LIMIT_MS,
    );

    test.skipIf(sqldMissing() !== null)(
      "runs sqld in the same sandbox after a switch, and restarts it when it is killed",
      async () => {
        await machine.systemctl("stop", "bellhop", "bellhop-libsql");
        const switched = await machine.run(["sh", "-ec", SWITCH], { ...PATH, DATABASE: "sqld" });
        expect(switched).toMatchObject({ exitCode: 0, stderr: "" });
        expect(await status()).toBe("200");
        const pid = await mainPid("bellhop-libsql");
        const shown = await machine.run(["readlink", `/proc/${pid}/exe`]);
        expect(shown.stdout.trim()).toEndWith("/bin/sqld");
        await machine.systemctl("kill", "--signal=SIGKILL", "bellhop-libsql");
        await eventually("another sqld", async () => !["0", pid].includes(await mainPid("bellhop-libsql")), WITHIN_MS);
        await eventually("the service to be ready", async () => (await status()) === "200", WITHIN_MS);
        expect((await machine.run(["systemctl", "start", "bellhop-backup.service"])).exitCode).toBe(0);
      },
      LIMIT_MS,
    );

    test(
      "with a database elsewhere starts none, is installed again without a backup, and skips later ones",
      async () => {
        await machine.systemctl("stop", "bellhop", "bellhop-libsql");
        expect(await machine.run(["sh", "-ec", ELSEWHERE, "sh", built], PATH)).toMatchObject({
          exitCode: 0,
          stderr: "",
        });
        const [database, service] = await active();
        expect([database, service]).toEqual(["inactive", "active"]);
        expect(await status()).toBe("200");
        const before = await backups();
        expect((await machine.run(["systemctl", "start", "bellhop-backup.service"])).exitCode).toBe(0);
        const again = await machine.run(["sh", join(built, "install.sh")]);
        expect(again).toMatchObject({ exitCode: 0, stderr: "" });
        expect(again.stdout).toStartWith("the database is elsewhere: no backup is made before the upgrade\n");
        expect(await backups()).toEqual(before);
        expect(await status()).toBe("200");
      },
      LIMIT_MS,
    );

    function mainPid(unit: string): Promise<string> {
      return machine.systemctl("show", "--property=MainPID", "--value", unit);
    }

    /** The directories to which the installer writes are new, not the host's. */
    async function makeRoom(): Promise<void> {
      for (const name of ["opt", "lib", "backups"]) await mkdir(join(directory, name));
      // PrivateDevices= copies the devices that every machine has.
      const script = `set -e
mount --bind ${directory}/opt /opt
mount --bind ${directory}/lib /var/lib
mount --bind ${directory}/backups /var/backups
mkdir -p /run/etc/upper /run/etc/work
mount -t overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work overlay /etc
mkdir -p /etc/systemd/system
mount --bind /run/units /etc/systemd/system
ln -s pts/ptmx /dev/ptmx
mkdir /dev/mqueue
mount -t mqueue mqueue /dev/mqueue
chmod 755 ${directory}`;
      expect(await machine.run(["sh", "-c", script])).toMatchObject({ exitCode: 0, stderr: "" });
    }

    async function active(): Promise<string[]> {
      const units = ["bellhop-libsql.service", "bellhop.service", "bellhop-backup.timer"];
      return (await machine.systemctl("is-active", ...units)).split("\n");
    }

    async function status(): Promise<string> {
      const { stdout } = await machine.run([
        "curl",
        "--silent",
        "--output",
        "/dev/null",
        "--write-out",
        "%{http_code}",
        READY,
      ]);
      return stdout;
    }

    async function backups(): Promise<string[]> {
      const { stdout } = await machine.run(["ls", "/var/backups/bellhop"]);
      return stdout.split("\n").filter((name) => name.startsWith("2"));
    }

    async function secrets(): Promise<string[]> {
      const { stdout } = await machine.run(["cat", "/etc/bellhop/bellhop.env", "/etc/bellhop/database.env"]);
      return [...stdout.matchAll(/^(?:BELLHOP_SECRET|BOOTSTRAP_ADMIN_TOKEN|DATABASE_AUTH_TOKEN)=(\w{64})$/gmu)].map(
        ([, secret = ""]) => secret,
      );
    }
  },
);
