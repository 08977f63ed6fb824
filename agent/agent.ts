import { actionsOn } from "../schema/contract/action.ts";
import type { RegisterRequest } from "../schema/contract/agent.ts";
import { AGENT_FEATURES, AGENT_PROTOCOL, ISOLATION_REASON_MAX_CHARS } from "../schema/contract/agent.ts";
import { newActivity } from "./activity.ts";
import { readApiKeyFile, requireClosedKeyFile } from "./api-key-file.ts";
import { startAdminServer } from "./admin-server.ts";
import type { AdminServer } from "./admin-server.ts";
import { forgetAdminUrl, noteAdminUrl } from "./admin/address.ts";
import { keptAdminToken } from "./admin/token.ts";
import { systemClock } from "./clock.ts";
import type { AgentConfig, Environment } from "./config.ts";
import type { Executors } from "./executors-port.ts";
import { EXIT } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { HeartbeatLoop } from "./heartbeat-loop.ts";
import { chooseJobPrograms } from "./isolation/choose-programs.ts";
import type { JobPrograms } from "./isolation/choose-programs.ts";
import { isInParentEnvironment, KEY_IN_PARENT } from "./isolation/parent-environment.ts";
import { JobRunner } from "./job-runner.ts";
import { createLog, describeError } from "./log.ts";
import type { Log } from "./log.ts";
import { Loop } from "./loop.ts";
import { formsOf, formsOfSecrets } from "./mask-forms.ts";
import { Masker } from "./jobs/masker.ts";
import { syncCredential } from "./jobs/sync-credential.ts";
import { makeStateDirectories, statePaths } from "./paths.ts";
import type { StatePaths } from "./paths.ts";
import { createPolling } from "./polling.ts";
import { Pulse } from "./pulse.ts";
import { acquireLock } from "./journal/process-lock.ts";
import { ResultSender } from "./jobs/result-sender.ts";
import { createServiceClient } from "./service-client.ts";
import { measuredClient } from "./service/measured-client.ts";
import { ServiceLink } from "./service/link.ts";
import { shutDown } from "./shutdown.ts";
import { metricsOf, statusOf } from "./admin/status.ts";
import { closeFiles, openJournal, openVault } from "./state-files.ts";
import { createStatusNote, forgetStatus } from "./status-file.ts";
import { fingerprintOf } from "./vault/crypto.ts";
import { logUnbound } from "./vault/lost.ts";
import { targetResolver } from "./vault/resolve-target.ts";
import type { Vault } from "./vault/index.ts";
import { AGENT_VERSION } from "./version.ts";

/** The vault's key is derived after the first registration is sent, but no later than this. */
const DERIVE_AT_LATEST_MS = 100;

const SHORT_TOKEN_CHARS = 16;
/** `bellhop-agent credentials` holds the lock for a moment when no agent runs. */
const LOCK_WAIT_MS = 2_000;

export interface AgentPorts {
  executors: Executors;
  /** Takes one finished log line. */
  writeLog: (line: string) => void;
  humanLog: boolean;
  /** Names the proxies. */
  env: Environment;
}

export interface RunningAgent {
  adminUrl: string;
  /** Settles when the agent has ended. */
  ended: Promise<ExitCode>;
  /** The graceful end. May be called once. */
  shutDown(): void;
  /** Stops running jobs without waiting for them, on the second signal. Settles when they have stopped. */
  abandon(): Promise<void>;
}

/** Assembles the agent and starts it. Throws StartRefused when it cannot run as configured. */
export async function startAgent(given: AgentConfig, ports: AgentPorts): Promise<RunningAgent> {
  const clock = systemClock;
  const random = Math.random;
  const now = () => clock.now();
  const newId = () => crypto.randomUUID();
  const masker = new Masker();
  const log = createLog({
    level: given.logLevel,
    mask: masker.text,
    write: ports.writeLog,
    now,
    human: given.logFormat === null ? ports.humanLog : given.logFormat === "text",
  });
  const paths = statePaths(given.vaultPath);
  await makeStateDirectories(paths, log);
  const lock = acquireLock(paths.lock, paths.journal, LOCK_WAIT_MS);
  // A file of an agent that died: another program may listen at its address by now.
  forgetAdminUrl(paths.adminUrl);
  forgetStatus(paths.status);
  const instanceId = newId();
  const { jobSocket, jobUser, maxConcurrentJobs } = given;
  const choosing = chooseJobPrograms({ jobSocket, jobUser, stateDirectory: paths.executorState });
  const keeping = given.adminToken === null ? keptAdminToken(paths.adminToken) : Promise.resolve(given.adminToken);
  // Rejections are handled where these promises are awaited.
  choosing.catch(() => undefined);
  keeping.catch(() => undefined);
  const journal = await openJournal(paths, { log, now, newId, maxConcurrentJobs });
  // Read only now: opening the journal has ended the processes that a killed agent left behind.
  const apiKey = given.apiKeyFile === null ? given.apiKey : readApiKeyFile(given.apiKeyFile);
  const config = { ...given, apiKey };
  const adminToken = await keeping;
  // A short token that a person chose may be an ordinary word. Masking it would garble the output of jobs.
  const maskedToken = adminToken.length < SHORT_TOKEN_CHARS ? "" : adminToken;
  const ownForms = [config.apiKey, maskedToken, ...config.proxyPasswords].flatMap((secret) => [...formsOf(secret)]);
  masker.setForms(ownForms);

  const activity = newActivity(clock.now());
  const jobPrograms = await choosing;
  if (jobPrograms.isolation !== "none" && given.apiKeyFile !== null) requireClosedKeyFile(given.apiKeyFile);
  // No await from here to the start of the loops, so no callback meets a part that does not exist yet.
  const { promise: mayDerive, resolve: deriveNow } = Promise.withResolvers<void>();
  setTimeout(deriveNow, DERIVE_AT_LATEST_MS);
  const { promise: keyAccepted, resolve: acceptKey } = Promise.withResolvers<void>();
  const vault = openVault(paths, {
    apiKey,
    log,
    now,
    mayDerive,
    keyAccepted,
    onChange: () => {
      // The secrets of running jobs stay masked when the vault has newer values.
      const secrets = [...vault.allSecrets(), ...runner.secretsInUse()];
      masker.setForms([...ownForms, ...secrets.flatMap(formsOfSecrets)]);
      // The first heartbeat waits for the vault anyway.
      if (vault.isOpen) heartbeat.wake();
    },
    resolveTarget: targetResolver(ports.executors, config, jobPrograms.programs),
    onNewKeyPair: () => {
      log.warning("this agent has a new public key", { fingerprint: fingerprintOf(vault.publicKey) });
      link.registerAgain();
      heartbeat.wake();
    },
  });
  const { apiUrl } = config;
  const client = measuredClient(createServiceClient({ apiUrl, apiKey }), activity, clock);
  const noteStatus = createStatusNote(paths.status, log);
  const request = (): RegisterRequest => ({
    protocol: AGENT_PROTOCOL,
    name: config.name,
    version: AGENT_VERSION,
    os: process.platform === "win32" ? "windows" : "linux",
    arch: process.arch === "arm64" ? "arm64" : "x64",
    capabilities: ports.executors.capabilities(),
    features: [...AGENT_FEATURES],
    actions: actionsOn(ports.executors.capabilities()),
    isolation: jobPrograms.isolation,
    isolationReason: jobPrograms.reason.slice(0, ISOLATION_REASON_MAX_CHARS),
    publicKey: vault.publicKey,
    maxConcurrentJobs: config.maxConcurrentJobs,
    pollIntervalSeconds: config.pollIntervalMs / 1_000,
    instanceId,
    journalId: journal.journalId,
  });
  const link = new ServiceLink({
    client,
    request,
    activity,
    log,
    random,
    onRegistered: ({ agentId }) => {
      acceptKey();
      const registeredAt = new Date(now()).toISOString();
      noteStatus({ version: AGENT_VERSION, pid: process.pid, instanceId, agentId, registeredAt });
    },
    onFirstAttempt: deriveNow,
    onSuperseded: () => endSuperseded(),
  });
  const pulse = new Pulse(clock);
  const sender = new ResultSender({ journal, link, activity, log, clock, random, onProgress: () => pulse.beat() });
  const runner = new JobRunner({
    journal,
    vault,
    executors: ports.executors,
    settings: {
      allowPrivateNetwork: config.allowPrivateNetwork,
      allowOsRestart: config.allowOsRestart,
      slackApiUrl: config.slackApiUrl,
      stateDirectory: paths.executorState,
    },
    programs: jobPrograms.programs,
    syncCredential: (job) => syncCredential(job, { vault, agentId: activity.agentId }),
    masker,
    activity,
    log,
    clock,
    onFinished: () => void sender.send().then(() => polling.jobEnded()),
  });
  const shared = { link, journal, runner, sender, vault, activity, log, clock, random };
  const heartbeats = new HeartbeatLoop({ ...shared, ...config, onRecovered: () => polling.serviceAnswers() });
  const heartbeat = new Loop(heartbeats.tick);
  const onHopeless = () => endStalled();
  const polling = createPolling({ ...shared, ...config, config, heartbeat, pulse, env: ports.env, onHopeless });
  const sources = { config, activity, journal, runner, vault, jobPrograms, instanceId };
  const admin = startAdminServer({
    port: config.adminPort,
    token: adminToken,
    clock,
    log,
    status: () => statusOf(sources),
    metrics: () => metricsOf(sources),
    credentials: vault,
  });
  noteAdminUrl(paths.adminUrl, admin.url, log);

  const { promise: ended, resolve: end } = Promise.withResolvers<ExitCode>();
  let isEnding = false;
  const endOnce = (how: () => Promise<ExitCode>) => {
    if (isEnding) return;
    isEnding = true;
    void finish(how).then(end);
  };
  const finish = async (how: () => Promise<ExitCode>): Promise<ExitCode> => {
    try {
      await polling.leaveAlone();
      const code = await how();
      await jobPrograms.stop();
      await closeFiles({ admin, journal, lock, paths });
      return code;
    } catch (error) {
      log.error("the agent could not shut down cleanly", { error: describeError(error) });
      return EXIT.failed;
    }
  };
  const endSuperseded = () =>
    endOnce(async () => {
      log.error(
        "this agent is superseded: another process registered as this agent, so this one ends: two machines must not share one agent key; " +
          "create a separate agent for each",
      );
      runner.stopAll("superseded");
      await Promise.all([polling.loop.stop(), heartbeat.stop(), runner.idle()]);
      link.stop();
      return EXIT.superseded;
    });
  const endStalled = () =>
    endOnce(async () => {
      link.stop();
      return EXIT.stalled;
    });
  vault.ready.then(
    () => logUnbound(log, vault.list()),
    (error: unknown) =>
      endOnce(async () => {
        log.error("the vault cannot be written", { path: paths.vault, error: describeError(error) });
        link.stop();
        await Promise.all([polling.loop.stop(), heartbeat.stop()]);
        return EXIT.cannotCreate;
      }),
  );

  announce(log, { config, admin, paths, vault, jobPrograms });
  if (adminToken.length < SHORT_TOKEN_CHARS) {
    log.warning("ADMIN_TOKEN is short, and it opens the vault: make one with openssl rand -hex 32, or leave it unset");
  }
  polling.start();
  heartbeat.start();
  return {
    adminUrl: admin.url,
    ended,
    shutDown: () =>
      endOnce(async () => {
        const drain = () => heartbeats.drain();
        await shutDown({ poll: polling.loop, heartbeat, drain, runner, sender, journal, link, activity, log });
        return EXIT.ok;
      }),
    abandon: () => {
      runner.stopAll("agent_shutdown");
      return runner.idle();
    },
  };
}

interface Announced {
  config: AgentConfig;
  admin: AdminServer;
  paths: StatePaths;
  vault: Vault;
  jobPrograms: JobPrograms;
}

function announce(log: Log, { config, admin, paths, vault, jobPrograms }: Announced): void {
  log.info("the agent starts", {
    version: AGENT_VERSION,
    name: config.name,
    service: config.apiUrl,
    vault: paths.vault,
    fingerprint: fingerprintOf(vault.publicKey),
    adminApi: admin.url,
    isolation: `${jobPrograms.isolation}: ${jobPrograms.reason}`,
    adminToken: config.adminToken === null ? `in the file ${paths.adminToken}` : "from ADMIN_TOKEN",
  });
  for (const { name, meant } of config.misspelt) {
    log.warning("an environment variable is not a setting of the agent and has no effect: correct its name", {
      name,
      meant,
    });
  }
  if (jobPrograms.isolation === "none" && isInParentEnvironment(config.apiKey)) log.warning(KEY_IN_PARENT);
}
