import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CODING_SUFFIX, RELEASE_CODINGS } from "../../schema/contract/release.ts";
import type { ReleaseCoding } from "../../schema/contract/release.ts";
import { buildAgent } from "../../scripts/build-agent.ts";
import { agentBundle } from "../../scripts/release/agent-bundle.ts";
import { pack } from "../../scripts/release/pack.ts";
import { compile } from "../agent/compile.ts";

/** The size of an executable on disk and for download, in a release's codings. In units of 1,000,000 bytes. */
export interface ExecutableSize {
  sizeMb: number;
  downloadMb: Record<ReleaseCoding, number>;
}
export interface AgentSizes {
  agent: ExecutableSize;
  /** An empty program: the share of Bun itself. */
  bare: ExecutableSize;
  /** The agent's minified JavaScript; the executable also holds its bytecode. */
  scriptMb: number;
}

const MB = 1_000_000;

export async function agentSizes(): Promise<AgentSizes> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  try {
    const source = join(directory, "bare.ts");
    await Bun.write(source, "export {};\n");
    const bare = await compile(source, join(directory, "bare"));
    const { outputs } = await Bun.build(agentBundle({ version: "0.0.0", publicKey: "" }));
    return {
      agent: await sizeOf(await buildAgent(), directory),
      bare: await sizeOf(bare, directory),
      scriptMb: outputs.reduce((bytes, { size }) => bytes + size, 0) / MB,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function sizeOf(executable: string, directory: string): Promise<ExecutableSize> {
  const downloadMb: Record<ReleaseCoding, number> = { zstd: 0, gzip: 0 };
  for (const coding of RELEASE_CODINGS) {
    const packed = join(directory, `packed${CODING_SUFFIX[coding]}`);
    await pack(executable, packed, coding);
    downloadMb[coding] = (await stat(packed)).size / MB;
  }
  return { sizeMb: (await stat(executable)).size / MB, downloadMb };
}
