import { invalidParams } from "../shared/failures.ts";

const NAME_MAX_CHARS = 255;
/** systemd.unit(5): the characters of unit names. Not `/` (a path's mount) nor `*?[` (a pattern over loaded units). */
const NAME_FORM = /^[A-Za-z0-9:_.\\@][A-Za-z0-9:_.\\@-]*$/u;
/** Every suffix that systemd accepts as a type. A name with another suffix gets `.service`, as in systemctl. */
const TYPES = "service socket timer path target mount automount swap slice scope device snapshot busname".split(" ");
/** Types that can be started and stopped without affecting the whole system: `reboot.target` is a unit, too. */
const CONTROLLED_TYPES = ["service", "socket", "timer", "path"];
/** Services that suspend or end the machine. Those with an action such as `SuccessAction` are found by that action. */
const SYSTEM_STATE =
  /^systemd-(reboot|soft-reboot|poweroff|halt|kexec|exit|suspend|hibernate|hybrid-sleep|suspend-then-hibernate)\.service$/u;

/** The unit for a name as operators write it. Throws `invalid_params` for an invalid name. */
export function unitName(service: string): string {
  const name = service.trim();
  if (!NAME_FORM.test(name)) {
    throw invalidParams(
      `${JSON.stringify(name.slice(0, 100))} is not the name of a service: systemd's names are made of letters, digits and ` +
        ": _ . \\ @ -, do not begin with -, and are no patterns. `systemctl list-units --type=service` shows them.",
    );
  }
  const type = TYPES.find((suffix) => name.endsWith(`.${suffix}`));
  if (type !== undefined && !CONTROLLED_TYPES.includes(type)) {
    throw invalidParams(
      `${name} is a ${type} unit. This action controls ${CONTROLLED_TYPES.join(", ")} units; to restart the machine there is os.restartOS.`,
    );
  }
  const unit = type === undefined ? `${name}.service` : name;
  if (unit.length > NAME_MAX_CHARS)
    throw invalidParams(`The service's name is longer than ${NAME_MAX_CHARS} characters. Check the name.`);
  if (unit.startsWith(".") || unit.includes("@.")) {
    throw invalidParams(
      `${unit} names no unit: a template needs an instance between @ and the dot, as in getty@tty1.service.`,
    );
  }
  return unit;
}

/** Whether starting or stopping a unit restarts, ends or suspends the machine, or may do so: even a stop may fail. */
export function changesSystemState(names: readonly string[], systemActions: readonly string[]): boolean {
  return names.some((name) => SYSTEM_STATE.test(name)) || systemActions.length > 0;
}
