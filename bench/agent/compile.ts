/** Compiles a Bun executable with the agent's options. Returns its path. */
export async function compile(source: string, executable: string): Promise<string> {
  const child = Bun.spawn(
    [process.execPath, "build", "--compile", "--minify", "--bytecode", source, "--outfile", executable],
    { stdin: "ignore", stdout: "ignore", stderr: "inherit" },
  );
  if ((await child.exited) !== 0) throw new Error(`${source} could not be built`);
  return executable;
}
