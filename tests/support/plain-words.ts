import fc from "fast-check";

/** Plain words with a meaning for a shell, an interpreter or a program. */
export const TRICKY_WORDS = [
  ..."_ 0 1 a a.b-c x:y/z A_B 1.2.3 web-01.example.org 10.0.0.1:8080 img/app:1.2-rc_3 C:x a/b/c a-- a- a: a/ 0x1F 1e9 007 2".split(
    " ",
  ),
  ..."PATH IFS HOME PWD OLDPWD UID PPID SHELLOPTS BASH_ENV PS4 RANDOM SECONDS REPLY OPTARG LINENO TITLE SUBSCRIPT LC_ALL".split(
    " ",
  ),
  ..."if then else fi do done case esac for while until in function select time coproc return exit exec eval trap set".split(
    " ",
  ),
  ..."true false test printf echo touch canary sh bash null None True ND E D x y i n f g CODE".split(" "),
];

/** Any single plain word: an allowed value in place. */
export const plainWord = fc.oneof(
  fc.constantFrom(...TRICKY_WORDS),
  fc
    .stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,40}$/u)
    .filter((word) => !/\/\/|:\//u.test(word) && !word.split(/[/:]/u).some((part) => /^\.+$/u.test(part))),
);
