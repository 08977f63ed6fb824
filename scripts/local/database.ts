import { join } from "node:path";
import type { DatabaseChoice } from "../database-choice.ts";
import { startLibsqlServer } from "../libsql-server/server.ts";
import { keepSqld } from "../sqld/keep-sqld.ts";
import { writeKeyFile } from "../sqld/token.ts";
import { recordChildren } from "./children.ts";
import { anyFreePort } from "./free-port.ts";
import type { LocalSettings } from "./settings.ts";

/** The database of a service on this machine, ready. */
export interface LocalDatabase {
  url: string;
  authToken: string | undefined;
  /** For people: what it is, and where its files are. */
  name: string;
  stop(): Promise<void>;
}

export interface LocalDatabaseOptions {
  choice: DatabaseChoice;
  stateDirectory: string;
  settings: Pick<LocalSettings, "databaseToken" | "databaseKey">;
  /** Takes a line for the service's log. */
  onLogLine(line: string): void;
}

export async function startDatabase(options: LocalDatabaseOptions): Promise<LocalDatabase> {
  const { choice, stateDirectory, settings } = options;
  const authToken = settings.databaseToken;
  switch (choice.kind) {
    case "ours": {
      const { url, stop } = await startLibsqlServer({ file: join(stateDirectory, "bellhop.db"), authToken });
      return { url, authToken, name: "Bellhop's own libSQL server", stop };
    }
    case "sqld": {
      const directory = join(stateDirectory, "sqld");
      const jwtKeyFile = join(stateDirectory, "sqld-key.pem");
      writeKeyFile(jwtKeyFile, settings.databaseKey ?? "");
      const onLogLine = (line: string) =>
        options.onLogLine(JSON.stringify({ level: "INFO", message: `sqld: ${line}` }));
      const { url, stop } = await keepSqld(
        { directory, port: anyFreePort(), jwtKeyFile, onLogLine },
        { say: (line) => console.error(`bellhop: ${line}`), onSpawn: () => recordChildren(stateDirectory) },
      );
      return { url, authToken, name: `sqld, with its files in ${directory}`, stop };
    }
    case "elsewhere":
      return { url: choice.url, authToken: choice.token, name: "of DATABASE_URL", stop: () => Promise.resolve() };
  }
}
