/** The allowed names of a script's environment variables. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Variables that bash and ksh set or evaluate: a given value is lost, or evaluated as arithmetic. */
const SHELL_OWN =
  /^(?:RANDOM|SRANDOM|SECONDS|HISTCMD|LINENO|COLUMNS|LINES|OPTIND|OPTARG|TMOUT|GROUPS|DIRSTACK|FUNCNAME|PIPESTATUS|MAPFILE|REPLY|EPOCH\w+|BASH\w*|KSH_\w+|IFS|OLDPWD|PPID|PWD|SHLVL|_)$/u;

/**
 * Names that decide which programs are found, loaded or run, and names reserved by shells. The prefix
 * `bellhop_` is for values from older services, and for the program around a script on a host.
 */
const STEERING = [
  /^(?:PATH|PATHEXT|COMSPEC|SYSTEMROOT|WINDIR|PSMODULEPATH|DOTNET_STARTUP_HOOKS)$/u,
  /^(?:LD_\w+|DYLD_\w+|GCONV_PATH|IFS|BASH_ENV|BASH_VERSINFO|BASHOPTS|SHELLOPTS|PS4|PROMPT_COMMAND|UID|EUID|PPID|_)$/u,
  /^(?:PYTHON[A-Z]+|PERL5?(?:LIB|OPT|DB)|RUBYOPT|RUBYLIB|NODE_OPTIONS|NODE_PATH|(?:JDK_)?JAVA(?:_TOOL)?_OPTIONS)$/u,
  SHELL_OWN,
  /^bellhop_/iu,
];

/** Whether a shell reserves this variable. */
export function isShellOwn(name: string): boolean {
  return SHELL_OWN.test(name);
}

export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name);
}

/**
 * Whether a variable of this name changes how programs run, so that a connection must not set it for all its scripts.
 * Windows ignores the case of names.
 */
export function steersPrograms(name: string, windows = false): boolean {
  const compared = windows ? name.toUpperCase() : name;
  return STEERING.some((form) => form.test(compared));
}
