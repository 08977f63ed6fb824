import { expect, test } from "bun:test";
import { checkCode } from "../../worker/domain/template.ts";

/** Arithmetic runs commands that stand in a value, so it takes only what was checked: as a whole, before, and with a way out. */
const UNCHECKED: readonly string[] = [
  `n="{{v}}"; case "$n" in "") exit 2;; esac; for ((i=0;i<n;i++)); do :; done`,
  `size={{v}}; case $size in *G) size=\${size%G};; esac; echo $((size*1024))`,
  `pct={{v}}; if [[ $pct =~ % ]]; then pct=\${pct//%/}; fi; (( pct > 90 ))`,
  `n={{v}}; if [[ ! $n =~ ^[0-9]+$ ]]; then echo warn; fi; echo $((n))`,
  `n={{v}}; case $n in foo) ;; esac; (( n > 1 ))`,
  `case $n in ''|*[!0-9]*) exit 1;; esac; n={{v}}; (( n > 1 ))`,
  `f(){ case $1 in start) ;; esac; echo $(( $2+1 )); }; f start "{{v}}"`,
  `f(){ [[ $1 =~ ^[0-9]+$ ]] || return 1; echo $(( $2+1 )); }; f 1 "{{v}}"`,
  `n={{v}}; echo $((n)); [[ $n =~ ^[0-9]+$ ]] || exit 1`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || return 1; echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || continue; echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || (exit 1); echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || exit 1 & echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || exit 1 | cat; echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] && exit 1; echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || n={{w}}; echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ || -n x ]] || exit 1; echo $((n))`,
  `n={{v}}; [[ $n =~ ^1|[0-9]$ ]] || exit 1; echo $((n))`,
  `n={{v}}; [[ $n =~ "^[0-9]+$" ]] || exit 1; echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || exit 1; n={{w}}; echo $((n))`,
  `n={{v}}; m={{w}}; [[ $n =~ ^[0-9]+$ ]] || exit 1; echo $((m))`,
  `n={{v}}; case $n in *[!0-9]*) echo bad;; esac; echo $((n))`,
  `n={{v}}; case $n in *[!0-9]*) exit 1;;& a) ;; esac; while read n; do echo $((n)); done <<< {{w}}`,
  `n={{v}}; case $n in x) ;; *[!0-9]*) echo;; esac; echo $((n))`,
  `n={{v}}; if [[ $n =~ ^[0-9]+$ ]]; then echo ok; fi; echo $((n))`,
  `n={{v}}; check(){ [[ $n =~ ^[0-9]+$ ]] || exit 1; }; echo $((n))`,
  `n={{v}}; die(){ echo "$1"; }; [[ $n =~ ^[0-9]+$ ]] || die no; echo $((n))`,
  `n={{v}}; die(){ return 1; }; [[ $n =~ ^[0-9]+$ ]] || die no; echo $((n))`,
  `n={{v}}; n=0 true; echo $((n))`,
  `n={{v}}; [ "$n" -gt 0 ] || echo; echo $((n))`,
  `f(){ [[ $1 =~ ^[0-9]+$ ]] || exit 1; }; g(){ echo $(( $1 )); }; f 5; g {{v}}`,
  `n={{v}}; for i in 1 {{v}} 2; do echo $((i)); done`,
  `n={{v}}; while true; do echo $((n)); [[ $n =~ ^[0-9]+$ ]] || exit 1; n={{w}}; done`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || exit 1; while true; do echo $((n)); n={{w}}; done`,
  `x={{v}}; n=5; y=x; [[ $y =~ ^[0-9]+$ ]] || exit 1; z=x; echo $((z))`,
  `f() { n=$1; }; n=1; f {{v}}; echo $((n))`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || exit; f() { n=$1; }; f {{w}}; echo $((n))`,
  `n=5; f(){ n={{v}}; }; [[ $n =~ ^[0-9]+$ ]] || exit; f; echo $((n))`,
];

const CHECKED: readonly string[] = [
  `n={{v}}; [[ $n =~ ^[0-9]+$ ]] || exit 1; echo $((n))`,
  `n={{v}}; [[ "$n" =~ ^[[:digit:]]+$ ]] || { echo "no" >&2; exit 2; }; for ((i=0;i<n;i++)); do :; done`,
  `n={{v}}; [[ $n =~ ^-?[0-9]+$ ]] || n=0; echo $((n+1))`,
  `n={{v}}; if ! [[ $n =~ ^[0-9]+$ ]]; then echo bad; exit 1; fi; echo $((n))`,
  `n={{v}}; if [[ ! $n =~ ^[0-9]{1,3}$ ]]; then echo bad; exit 1; fi; echo $((n))`,
  `n={{v}}; if [[ $n =~ ^[0-9]+$ ]]; then echo $((n)); else echo bad; fi`,
  `n={{v}}; [[ $n =~ ^[0-9]+$ && $n -gt 5 ]] && echo many`,
  `n={{v}}; if [[ ! $n =~ ^[0-9]+$ || $n -gt 50 ]]; then exit 1; fi; echo $((n))`,
  `n={{v}}; re='^[0-9]+$'; [[ $n =~ $re ]] || exit 1; echo $((n))`,
  `die(){ echo "$*" >&2; exit 1; }; n={{v}}; [[ $n =~ ^[0-9]+$ ]] || die "bad $n"; echo $((n))`,
  `n={{v}}; case $n in ''|*[!0-9]*) echo no >&2; exit 1;; esac; n=$((n+1)); echo $((n))`,
  `n={{v}}; case $n in [0-9]|[1-9][0-9]) echo $((n));; *) echo no;; esac`,
  `f(){ local n="\${1:-5}"; [[ $n =~ ^[0-9]+$ ]] || return 1; while (( n-- > 0 )); do echo y; done; }; f {{v}}`,
  `f(){ [[ $2 =~ ^[0-9]+$ ]] || return 1; echo $(( $2+1 )); }; f x {{v}}`,
  `f(){ echo $(( $1 + 1 )); echo "$2"; }; f 1 {{v}}`,
  `while read -r n; do [[ $n =~ ^[0-9]+$ ]] || continue; (( t += n )); done <<< "{{v}}"`,
  `n={{v}}; [ "$n" -gt 0 ] 2>/dev/null || exit 1; (( n > 3 ))`,
];

test.each([...UNCHECKED])("arithmetic with what may be no number is refused: %s", (script) => {
  expect(checkCode("bash", script).join("\n")).toContain("check before that it is a number");
});

test.each([...CHECKED])("arithmetic with what was checked is accepted: %s", (script) => {
  expect(checkCode("bash", script)).toEqual([]);
});

test("the message names the argument as the script does", () => {
  expect(checkCode("bash", "f() { echo $(( $1 + 1 )); }\nf {{v}}").join()).toContain("arithmetic with $1 would run");
});
