/** What an environment variable of a script may be called. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Variables that bash and ksh set or evaluate themselves: a value given to one is lost, or run as arithmetic. */
const SHELL_OWN =
  /^(?:RANDOM|SRANDOM|SECONDS|HISTCMD|LINENO|COLUMNS|LINES|OPTIND|OPTARG|TMOUT|GROUPS|DIRSTACK|FUNCNAME|PIPESTATUS|MAPFILE|REPLY|EPOCH\w+|BASH\w*|KSH_\w+|IFS|OLDPWD|PPID|PWD|SHLVL|_)$/u;

/**
 * Names by which programs are found, loaded or told what to run, and those that shells keep for themselves; `bellhop_`
 * begins the names that carry the values of older services, and those of the program around a script on a host.
 */
const STEERING = [
  /^(?:PATH|PATHEXT|COMSPEC|SYSTEMROOT|WINDIR|PSMODULEPATH|DOTNET_STARTUP_HOOKS)$/u,
  /^(?:LD_\w+|DYLD_\w+|GCONV_PATH|IFS|BASH_ENV|BASH_VERSINFO|BASHOPTS|SHELLOPTS|PS4|PROMPT_COMMAND|UID|EUID|PPID|_)$/u,
  /^(?:PYTHON[A-Z]+|PERL5?(?:LIB|OPT|DB)|RUBYOPT|RUBYLIB|NODE_OPTIONS|NODE_PATH|(?:JDK_)?JAVA(?:_TOOL)?_OPTIONS)$/u,
  SHELL_OWN,
  /^bellhop_/iu,
];

/** Whether a shell keeps this variable for itself. */
export function isShellOwn(name: string): boolean {
  return SHELL_OWN.test(name);
}

export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name);
}

/**
 * Whether a variable of this name changes what programs do, so that a connection must not bring it to every script that
 * runs on it. Windows takes names in any case.
 */
export function steersPrograms(name: string, windows = false): boolean {
  const compared = windows ? name.toUpperCase() : name;
  return STEERING.some((form) => form.test(compared));
}
