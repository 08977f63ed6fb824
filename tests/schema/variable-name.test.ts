import { describe, expect, test } from "bun:test";
import { secretsSchemaOf } from "../../schema/contract/secret-shapes.ts";
import { isVariableName, steersPrograms } from "../../schema/contract/variable-name.ts";

describe("a name of an environment variable", () => {
  test.each([
    "PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV SHELLOPTS PS4 IFS UID _ PYTHONPATH PYTHONSTARTUP",
    "BASH_VERSINFO BASHOPTS EUID PPID BELLHOP_JOB_PROCESSES",
    "PERL5LIB RUBYOPT NODE_OPTIONS JAVA_TOOL_OPTIONS PSMODULEPATH BELLHOP_VALUE_1 bellhop_dir",
  ])("that steers programs is not allowed for a connection's secret: %s", (names) => {
    for (const name of names.split(" ")) {
      expect({ name, steers: steersPrograms(name) }).toEqual({ name, steers: true });
      expect(secretsSchemaOf("custom").safeParse({ [name]: "x", TOKEN: "y" }).success).toBe(false);
    }
  });

  test("that does not steer programs is allowed", () => {
    for (const name of ["ENV", "HOME", "TOKEN", "API_PATH", "PATH_PREFIX", "PYTHON_VERSION", "LDAP_URL", "path"]) {
      expect({ name, steers: steersPrograms(name) }).toEqual({ name, steers: false });
      expect(secretsSchemaOf("custom").safeParse({ [name]: "x" }).success).toBe(true);
    }
  });

  test("is compared without case for Windows", () => {
    for (const name of ["Path", "ComSpec", "PSModulePath"]) {
      expect([steersPrograms(name), steersPrograms(name, true)]).toEqual([false, true]);
    }
  });

  test.each<[string, boolean]>([
    ["TOKEN_2", true],
    ["_x", true],
    ["2x", false],
    ["a b", false],
    ["a=b", false],
    ["", false],
    ["ä", false],
    ["x\n", false],
  ])("%j is valid: %p", (name, isOne) => {
    expect(isVariableName(name)).toBe(isOne);
  });
});
