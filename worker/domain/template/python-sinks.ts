/** A call that runs what it is given. */
export interface Sink {
  readonly runs: "python" | "shell" | "module" | "other";
  /** What to write instead. */
  readonly advice: string;
}

const LIST = "give subprocess.run a list of arguments that begins with the program's name, without shell=True";
const REMOTE = "use the action ssh.executeCommand, which passes values safely";

/** By the names of calls, with their modules where others have the same name. */
const SINKS: readonly (readonly [RegExp, Sink])[] = [
  [
    /^(?:.*\.)?(?:eval|exec|execfile|runsource|runcode)$|^(?:builtins\.)?compile$/u,
    { runs: "python", advice: "write the code itself; json.loads and ast.literal_eval read data without running it" },
  ],
  [
    /^(?:timeit\.(?:timeit|repeat|Timer|main)|(?:cProfile|profile|pdb)\.\w+)$/u,
    { runs: "python", advice: "give it a function that is written out" },
  ],
  [
    /^(?:.*\.)?(?:system|popen[234]?|getoutput|getstatusoutput|create_subprocess_shell)$/u,
    { runs: "shell", advice: LIST },
  ],
  [/^pexpect\.\w+$|^(?:os\.)?startfile$|^webbrowser\.get$/u, { runs: "other", advice: LIST }],
  [
    /^(?:.*\.)?(?:__import__|import_module|run_path|run_module)$/u,
    { runs: "module", advice: "write the module's name itself, and choose with if {{…}} == …" },
  ],
  [
    /^(?:.*\.)?(?:CDLL|PyDLL|WinDLL|OleDLL|LoadLibrary)$/u,
    { runs: "other", advice: "write the library's name itself" },
  ],
  [
    /^(?:.*\.)?(?:from_string|render_template_string)$|^(?:jinja2\.|mako\.template\.|django\.template\.)?Template$/u,
    { runs: "other", advice: "write the template itself, and give the value to it by a name: render(name={{…}})" },
  ],
  [
    /^(?:_?c?[pP]ickle|marshal|dill|cloudpickle|joblib|jsonpickle|shelve)\.(?:loads?|decode|open|Unpickler)$/u,
    { runs: "other", advice: "use json.loads, which only reads data" },
  ],
  [
    /^yaml\.(?:load|load_all|full_load|full_load_all|unsafe_load|unsafe_load_all)$/u,
    { runs: "other", advice: "use yaml.safe_load, which only reads data" },
  ],
  [/^logging\.config\.(?:dictConfig|fileConfig|listen)$/u, { runs: "other", advice: "write the configuration itself" }],
  [/^(?:.*\.)?(?:exec_command|invoke_shell)$/u, { runs: "other", advice: REMOTE }],
];
const FABRIC: Sink = { runs: "other", advice: REMOTE };
const INVOKE: Sink = { runs: "other", advice: LIST };

/** These start a program that their first argument names. */
const STARTS =
  /^(?:subprocess|sp)\.(?:run|call)$|^(?:.*\.)?(?:check_call|check_output|Popen|create_subprocess_exec|run_process|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)$|^pty\.spawn$/u;
const RUNS_SQL = /(?:^|\.)(?:execute(?:many|script)?|exec_driver_sql|read_sql(?:_query)?)$/u;

/** Their functions must not be handed around: under another name they would not be known again. */
export const HAZARDOUS_MODULES =
  /^(?:os|posix|subprocess|sp|builtins|__builtins__|importlib|runpy|pickle|cPickle|_pickle|marshal|dill|yaml|timeit|ctypes|pty|sh)$/u;
/** These find functions by other ways than their names. */
export const REFLECTS =
  /^(?:__dict__|__globals__|__builtins__|__getattribute__|__subclasses__|__loader__|__self__|globals|locals|f_globals|f_locals|f_builtins|gi_frame|tb_frame|_getframe)$/u;

export function sinkOf(callee: string | null, imported: ReadonlySet<string>): Sink | null {
  if (callee === null) return null;
  const known = SINKS.find(([name]) => name.test(callee));
  if (known !== undefined) return known[1];
  if (!/(?:^|\.)(?:run|sudo|local)$/u.test(callee) || /^(?:subprocess|sp|asyncio|app|loop)\./u.test(callee))
    return null;
  if (imported.has("fabric")) return FABRIC;
  return imported.has("invoke") ? INVOKE : null;
}

export function startsProgram(callee: string | null): boolean {
  return callee !== null && STARTS.test(callee);
}

/** The program of `sh.bash(…)`; null for other calls. */
export function programOfSh(callee: string | null): string | null {
  return /^sh\.(\w+)$/u.exec(callee ?? "")?.[1] ?? null;
}

export function runsSql(callee: string | null): boolean {
  return callee !== null && RUNS_SQL.test(callee);
}

/** A name whose function runs what it gets, so that it may only be called. */
export function mustBeCalled(name: string, imported: ReadonlySet<string>): boolean {
  return startsProgram(name) || (sinkOf(name, imported) !== null && !/(?:^|\.)(?:open|run|local|get)$/u.test(name));
}
