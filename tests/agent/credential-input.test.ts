import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCredentialsCommand } from "../../agent/credentials/arguments.ts";
import type { SetCommand } from "../../agent/credentials/arguments.ts";
import { readCapped, readSecrets } from "../../agent/credentials/read-secrets.ts";
import type { SecretSources } from "../../agent/credentials/read-secrets.ts";
import { CommandRefused } from "../../agent/credentials/refused.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-secrets-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function refusalOf(work: () => unknown): Promise<CommandRefused> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CommandRefused) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("the arguments of credentials", () => {
  test("are parsed to a connection and the sources of its secrets", () => {
    const args = "set con_1 --type ssh --from-file privateKey=/a=b --name passphrase --from-file other=-".split(" ");
    expect(parseCredentialsCommand(args)).toEqual({
      verb: "set",
      connectionId: "con_1",
      type: "ssh",
      names: ["passphrase"],
      files: [
        { name: "privateKey", path: "/a=b" },
        { name: "other", path: "-" },
      ],
      target: null,
      agrees: false,
    });
    expect(parseCredentialsCommand(["list", "--json"])).toEqual({ verb: "list", json: true });
    expect(parseCredentialsCommand(["delete", "con_1"])).toEqual({ verb: "delete", connectionId: "con_1" });
    expect(parseCredentialsCommand(["bind", "con_1", "--yes", "--target", '[{"type":"chat"}]'])).toEqual({
      verb: "bind",
      connectionId: "con_1",
      target: [{ type: "chat" }],
      agrees: true,
    });
    expect(parseCredentialsCommand(["set", "--help"])).toEqual({ verb: "help" });
  });

  const refused: [string, string, string][] = [
    ["nothing to do", "", "set, bind, list or delete"],
    ["another verb", "put con_1", "set, bind, list or delete"],
    ["a misspelt verb", "lst", "unknown command: credentials lst. Did you mean list?"],
    ["no connection", "set", "needs a connection's id"],
    ["a connection that is a path", "delete ../x", "1 to 64 letters"],
    ["a secret as an argument", "set con_1 password=canary-4f", "never given on the command line"],
    ["a secret as an option", "set con_1 --password=canary-4f", "does not know --password"],
    ["a secret behind an option", "set con_1 --password canary-4f", "does not know --password"],
    ["a secret behind --name", "set con_1 --name password=canary-4f", "only the name of a secret"],
    ["--name without a name", "set con_1 --name", "--name needs a value"],
    ["a file without a name", "set con_1 --from-file /etc/key", "a name and a path"],
    ["a file without a path", "set con_1 --from-file key=", "a name and a path"],
    ["a name twice", "set con_1 --name a --from-file a=b", "given twice"],
    ["standard input twice", "set con_1 --from-file a=- --from-file b=-", "one secret only"],
    ["another type", "set con_1 --type telnet", "--type is one of ssh, winrm"],
    ["two types", "set con_1 --type ssh --type http", "--type is one of"],
    ["an option of another verb", "list --type ssh", "list does not know --type"],
    ["a flag with a value", "list --json=canary-4f", "takes no value"],
    ["a target that is not JSON", "set con_1 --target canary-4f", "--target is not a JSON list"],
    ["a target without its fields", 'bind con_1 --target [{"type":"http"}]', "\n  authType is missing"],
    ["a field of another kind", 'bind con_1 --target [{"type":"chat","port":1}]', "\n  entry 1 must not have port"],
    ["an unknown type", 'bind con_1 --target [{"type":"nope"}]', "\n  type is not a connection type"],
    [
      "a target without its host or hosts",
      'bind con_1 --target [{"type":"ssh","port":22,"username":"a","authMethod":"password"}]',
      "\n  host is missing",
    ],
    ["a flag of another verb", "delete con_1 --yes", "delete does not know --yes"],
    ["a connection for list", "list con_1", "shows all of them"],
  ];
  for (const [what, line, says] of refused) {
    test(`are refused with ${what}, and the error repeats no secret`, async () => {
      const error = await refusalOf(() => parseCredentialsCommand(line.split(" ").filter((word) => word !== "")));
      expect(error.exitCode).toBe(64);
      expect(error.message).toContain(says);
      expect(error.message).not.toContain("canary");
    });
  }
});

const set = (changes: Partial<SetCommand> = {}): SetCommand => ({
  verb: "set",
  connectionId: "con_1",
  type: null,
  names: [],
  files: [],
  target: null,
  agrees: false,
  ...changes,
});

/** Input from a pipe with `text`. */
const piped = (text: string | Uint8Array): SecretSources => ({
  isInteractive: false,
  ask: () => Promise.reject(new Error("no terminal")),
  readInput: async () => (typeof text === "string" ? new TextEncoder().encode(text) : text),
});

/** A person who gives each answer once; `asked` records the questions and whether the answers are shown. */
function typed(...answers: string[]): SecretSources & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    isInteractive: true,
    ask: (question, { echo }) => {
      asked.push(`${echo ? "shown" : "hidden"}: ${question}`);
      const answer = answers.shift();
      return answer === undefined ? Promise.reject(new Error(`no answer to ${question}`)) : Promise.resolve(answer);
    },
    readInput: () => Promise.reject(new Error("it is a terminal")),
  };
}

describe("secrets from a pipe", () => {
  test("are read as JSON of names and texts", async () => {
    expect(await readSecrets(set(), piped('{"username":"ada","password":"pä ss"}\n'))).toEqual({
      username: "ada",
      password: "pä ss",
    });
  });

  test("are read as one text without its line break", async () => {
    expect(await readSecrets(set({ names: ["token"] }), piped(" canary \r\n"))).toEqual({ token: " canary " });
    const pem = "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n";
    expect(await readSecrets(set({ files: [{ name: "privateKey", path: "-" }] }), piped(pem))).toEqual({
      privateKey: pem,
    });
  });

  test("are capped when the input is endless", async () => {
    async function* endless() {
      for (;;) yield new Uint8Array(65_536);
    }
    expect((await readCapped(endless())).length).toBeLessThan(1_300_000);
  });

  const ppk = "PuTTY-User-Key-File-3: ssh-ed25519\ncanary-4f";
  const refused: [string, SetCommand, string | Uint8Array, 64 | 65, string][] = [
    ["that are not JSON", set(), "canary-4f", 65, "not JSON"],
    ["that are empty", set(), "", 65, "not JSON"],
    ["in a list", set(), '["canary-4f"]', 65, "1 to 100 names"],
    ["with a number as value", set(), '{"pin": 4711}', 65, "1 to 100 names"],
    ["without names", set(), "{}", 65, "1 to 100 names"],
    ["that are not UTF-8", set({ names: ["key"] }), new Uint8Array([0xff, 0xfe, 0x00]), 65, "key is not text"],
    ["that are too long", set({ names: ["key"] }), "x".repeat(1_200_000), 65, "key is too long"],
    ["that are an empty line", set({ names: ["token"] }), "\n", 65, '"token" is empty'],
    ["for two names", set({ names: ["a", "b"] }), "canary-4f", 64, "one secret only"],
    ["in PuTTY's format", set({ names: ["privateKey"] }), ppk, 65, "puttygen"],
    [
      "with a public key as private key",
      set({ names: ["privateKey"] }),
      "ssh-rsa AAAAB3Nza canary-4f",
      65,
      "not be a public key",
    ],
    ["with names of another type", set({ type: "ssh" }), '{"token":"canary-4f"}', 65, "ssh takes password"],
    ["for a type without secrets", set({ type: "script" }), '{"token":"canary-4f"}', 65, "has no credential"],
  ];
  for (const [what, command, input, code, says] of refused) {
    test(`${what} are refused`, async () => {
      const error = await refusalOf(() => readSecrets(command, piped(input)));
      expect(error.exitCode).toBe(code);
      expect(error.message).toContain(says);
      expect(error.message).not.toContain("canary");
    });
  }
});

describe("secrets from files", () => {
  test("keep the lines of a key", async () => {
    const key = join(directory, "id_ed25519");
    const pass = join(directory, "pass.txt");
    await writeFile(key, "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n");
    await writeFile(pass, "canary\n");
    const files = [
      { name: "privateKey", path: key },
      { name: "passphrase", path: pass },
    ];
    expect(await readSecrets(set({ type: "ssh", files }), piped("unused"))).toEqual({
      privateKey: "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n",
      passphrase: "canary",
    });
  });

  test("are refused for a missing file, without its path, which may be a misplaced secret", async () => {
    const files = [{ name: "privateKey", path: "canary-4f" }];
    const error = await refusalOf(() => readSecrets(set({ files }), typed()));
    expect(error.exitCode).toBe(65);
    expect(error.message).toBe(
      "the file for privateKey cannot be read (ENOENT). Run the command again with a readable file",
    );
  });

  test("are refused for a device or directory", async () => {
    for (const path of ["/dev/zero", directory]) {
      const files = [{ name: "kubeconfig", path }];
      const error = await refusalOf(() => readSecrets(set({ files }), typed()));
      expect(error.exitCode).toBe(65);
      expect(error.message).toBe(
        "the path given for kubeconfig is neither a file nor a pipe. Run the command again with one of them",
      );
    }
  });

  test("are refused for a file that is too long, without reading all of it", async () => {
    const path = join(directory, "endless");
    await writeFile(path, "");
    await truncate(path, 2 ** 40);
    const error = await refusalOf(() => readSecrets(set({ files: [{ name: "kubeconfig", path }] }), typed()));
    expect(error.exitCode).toBe(65);
    expect(error.message).toContain("kubeconfig is too long");
  });

  test("may come from pipes, such as <(…) of a shell", async () => {
    const path = join(directory, "pipe");
    expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
    const from = async (writer: string) => {
      const child = Bun.spawn(["sh", "-c", `exec ${writer} >"$0"`, path], { stderr: "ignore" });
      try {
        return await readSecrets(set({ files: [{ name: "token", path }] }), typed());
      } finally {
        child.kill();
        await child.exited;
      }
    };
    expect(await from("echo canary")).toEqual({ token: "canary" });
    expect((await refusalOf(() => from("cat /dev/zero"))).message).toContain("token is too long");
  });
});

describe("secrets that a person types", () => {
  test("are never shown", async () => {
    const sources = typed("ada", "canary");
    expect(await readSecrets(set({ names: ["username", "password"] }), sources)).toEqual({
      username: "ada",
      password: "canary",
    });
    expect(sources.asked).toEqual(["hidden: username (nothing is shown): ", "hidden: password (nothing is shown): "]);
  });

  test("are those of the type, which is asked for first", async () => {
    const sources = typed("database", "ada", "canary");
    expect(await readSecrets(set(), sources)).toEqual({ username: "ada", password: "canary" });
    expect(sources.asked[0]).toStartWith("shown: Type of the connection (ssh, winrm");
    expect(sources.asked[0]).not.toContain("osService");
  });

  test("are those of the target when one is given", async () => {
    const target = [{ type: "ssh", host: "web1", username: "ada", authMethod: "password" }];
    const sources = typed("canary");
    expect(await readSecrets(set({ target }), sources)).toEqual({ password: "canary" });
    expect(sources.asked).toHaveLength(1);
  });

  test("are chosen from a type's alternatives, and an empty optional one is left out", async () => {
    const key = "-----BEGIN PRIVATE KEY-----\nabc";
    expect(await readSecrets(set({ type: "ssh" }), typed("2", key, ""))).toEqual({ privateKey: key });
    expect(await readSecrets(set({ type: "ssh" }), typed("password", "canary"))).toEqual({ password: "canary" });
    expect((await refusalOf(() => readSecrets(set({ type: "ssh" }), typed("3")))).message).toContain("from 1 to 2");
  });

  test("are read from a file when a path is typed for a key", async () => {
    const path = join(directory, "kubeconfig");
    await writeFile(path, "apiVersion: v1\nkind: Config\n");
    expect(await readSecrets(set({ names: ["kubeconfig"] }), typed(path))).toEqual({
      kubeconfig: "apiVersion: v1\nkind: Config\n",
    });
  });

  test("of a custom connection have the names that the person types", async () => {
    expect(await readSecrets(set({ type: "custom" }), typed(" A  B ", "one", "two"))).toEqual({ A: "one", B: "two" });
  });

  test("must not be empty", async () => {
    const error = await refusalOf(() => readSecrets(set({ names: ["password"] }), typed("")));
    expect(error.message).toBe('"password" is empty. Give it a value');
  });
});
