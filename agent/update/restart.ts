import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { describeError } from "../log.ts";
import type { RunningService } from "./running-service.ts";

const REGISTER_WITHIN_MS = 60_000;
const LOOK_MS = 250;

export interface RestartOptions {
  service: RunningService;
  version: string;
  /** Restores the previous executable. */
  restore: () => Promise<void>;
  registerWithinMs?: number;
}

/**
 * Restarts the service with the present executable, and waits until it has registered. If it does not register,
 * restores the previous executable and restarts the service. Throws CommandRefused with the outcome.
 */
export async function restartOrRestore(options: RestartOptions): Promise<void> {
  const { service, version, restore, registerWithinMs = REGISTER_WITHIN_MS } = options;
  const why = await restartAndWait(service, version, registerWithinMs);
  if (why === null) return;
  await restore();
  const again = await restartAndWait(service, null, registerWithinMs);
  const now = service.registered()?.version;
  throw new CommandRefused(
    EXIT.failed,
    again === null
      ? `version ${version} did not register: ${why}. Version ${now} is restored and registered`
      : `version ${version} did not register: ${why}. The former version is restored, but has not registered either (${again}): bellhop-agent doctor checks the connection to the deployment`,
  );
}

/** Null when another instance of this version (null: of any) has registered; otherwise the reason. */
async function restartAndWait(
  service: RunningService,
  version: string | null,
  withinMs: number,
): Promise<string | null> {
  const before = service.registered()?.instanceId;
  try {
    await service.restart();
  } catch (error) {
    return describeError(error);
  }
  const deadline = performance.now() + withinMs;
  for (;;) {
    const now = service.registered();
    if (now !== null && now.instanceId !== before && (version === null || now.version === version)) return null;
    const givenUp = await service.givenUp();
    if (givenUp !== null) return givenUp;
    if (performance.now() >= deadline) return `it did not report within ${Math.round(withinMs / 1_000)} s`;
    await Bun.sleep(LOOK_MS);
  }
}
