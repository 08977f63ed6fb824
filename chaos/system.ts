import { z } from "zod";
import { buildAgent } from "../scripts/build-agent.ts";
import { migrateDatabase } from "../scripts/migrate-database.ts";
import { createAdmin } from "./admin.ts";
import type { Admin } from "./admin.ts";
import type { Child } from "./child.ts";
import { startDatabase } from "./database-program.ts";
import type { DatabaseName, DatabaseProgram } from "./database-program.ts";
import { FaultProxy } from "./fault-proxy.ts";
import { startNoticeReceiver } from "./notice-receiver.ts";
import type { NoticeReceiver } from "./notice-receiver.ts";
import { agentEnvironment, makeAgent, makePlace, startService } from "./programs.ts";
import type { Place } from "./programs.ts";
import { seededRandom } from "./random.ts";
import { startRecorder } from "./recorder.ts";
import type { Recorder } from "./recorder.ts";
import { AGENTS } from "./schedule.ts";
import type { AgentName, LinkName } from "./schedule.ts";
import { POOLS } from "./setup.ts";
import type { Markers } from "./setup.ts";

export interface ChaosAgent {
  name: AgentName;
  id: string;
  home: string;
  homePool: string;
  child: Child;
  /** All keys of this agent so far; the last one is valid. */
  keys: string[];
  /** Starts the agent with its newest key, unless it runs. */
  start(): Promise<void>;
}

/** All programs of a run. Each is a separate process, and each link goes through a fault proxy. */
export interface System {
  place: Place;
  database: DatabaseProgram;
  service: Child;
  agents: Record<AgentName, ChaosAgent>;
  links: Record<LinkName, FaultProxy>;
  /** The number of requests for each fate, by `link fate`. */
  fates: Map<string, number>;
  recorder: Recorder;
  receiver: NoticeReceiver;
  markers: Markers;
  admin: Admin;
  adminToken: string;
  /** The service's key for its hashes. */
  serverSecret: string;
  /** The key with which it signs notices. */
  signingSecret: string;
  /** Ends every program that still runs. */
  end(): Promise<void>;
}

export interface SystemOptions {
  directory: string;
  database: DatabaseName;
  seed: string;
  tickEveryMs: number;
}

const createdAgent = z.object({ agent: z.object({ id: z.string() }), apiKey: z.string() });
const HOME_POOLS = { "agent-1": POOLS.main, "agent-2": POOLS.main, "agent-3": POOLS.annex } as const;

export async function startSystem(options: SystemOptions): Promise<System> {
  const { directory, seed, tickEveryMs } = options;
  const secret = (name: string) => `chaos-${name}-${crypto.randomUUID()}`;
  const markers: Markers = {
    http: secret("http"),
    chat: `xoxb-${secret("chat")}`,
    custom: secret("custom"),
    receiver: secret("receiver"),
  };
  const adminToken = secret("admin");
  const serverSecret = secret("server");
  const signingSecret = Buffer.from(secret("signing")).toString("base64");
  const fates = new Map<string, number>();
  const random = seededRandom(seed);
  const link = (name: LinkName, targetPort: number) =>
    FaultProxy.start({
      targetPort,
      random: random.fork(`link ${name}`),
      onFate: ({ type }) => fates.set(`${name} ${type}`, (fates.get(`${name} ${type}`) ?? 0) + 1),
    });
  const opened: { kill(): Promise<void> }[] = [];
  const end = async () => {
    await Promise.all(opened.map((each) => each.kill()));
  };
  try {
    const place = await makePlace(directory);
    const recorder = startRecorder(markers);
    opened.push({ kill: () => recorder.stop() });
    const receiver = startNoticeReceiver(signingSecret);
    opened.push({ kill: () => receiver.stop() });
    const noticesLink = await link("notices", receiver.port);
    opened.push({ kill: () => noticesLink.close() });
    const database = await startDatabase(place, options.database);
    opened.push(database.child);
    await migrateDatabase({ url: database.url });
    const databaseLink = await link("database", database.port);
    opened.push({ kill: () => databaseLink.close() });
    const service = await startService(place, {
      bindings: {
        DATABASE_URL: databaseLink.url,
        BELLHOP_SECRET: serverSecret,
        BOOTSTRAP_ADMIN_TOKEN: adminToken,
        NOTIFY_WEBHOOK_SECRET: `whsec_${signingSecret}`,
        // The receiver is on this machine.
        NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
        // Miniflare waits for workerd without reading its output, and workerd waits for a reader when the pipe is full.
        LOG_LEVEL: "ERROR",
      },
      tickEveryMs,
    });
    opened.push(service.child);
    const admin = createAdmin(() => `http://127.0.0.1:${service.port}`, adminToken);
    const executable = await buildAgent();

    const connect = async (name: AgentName) => {
      const agentLink = await link(name, service.port);
      opened.push({ kill: () => agentLink.close() });
      const settings = { name, executable, apiUrl: agentLink.url, recorderUrl: recorder.url };
      const body = { name, poolId: HOME_POOLS[name] };
      const { agent, apiKey } = await admin.call("POST", "/agents", body, createdAgent);
      const { child, home } = await makeAgent(place, settings);
      opened.push(child);
      const keys = [apiKey];
      const start = async () => {
        if (child.running) return;
        child.change({ env: agentEnvironment(place, home, keys.at(-1) ?? apiKey, settings) });
        await child.start();
      };
      return { agent: { name, id: agent.id, home, homePool: HOME_POOLS[name], child, keys, start }, link: agentLink };
    };
    const [first, second, third] = [await connect("agent-1"), await connect("agent-2"), await connect("agent-3")];
    const sendersLink = await link("senders", service.port);
    opened.push({ kill: () => sendersLink.close() });
    const agents = { "agent-1": first.agent, "agent-2": second.agent, "agent-3": third.agent };
    for (const name of AGENTS) await agents[name].start();
    return {
      place,
      database,
      service: service.child,
      agents,
      links: {
        "agent-1": first.link,
        "agent-2": second.link,
        "agent-3": third.link,
        senders: sendersLink,
        database: databaseLink,
        notices: noticesLink,
      },
      fates,
      recorder,
      receiver,
      markers,
      admin,
      adminToken,
      serverSecret,
      signingSecret,
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
