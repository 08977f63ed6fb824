/** The page's inline style sheet. The page's policy allows only this one, by its hash. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1a1d21;--soft:#59626d;--line:#d9dee4;--paper:#fff;--shade:#f5f7f9;--link:#0b5cad;
--get:#0b6b3a;--post:#0b5cad;--put:#8a5200;--patch:#8a5200;--delete:#b3261e;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa4af;--line:#333a42;--paper:#14171a;--shade:#1d2126;--link:#7db8f5;
--get:#6fcf97;--post:#7db8f5;--put:#e5b567;--patch:#e5b567;--delete:#f2938c}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
a{color:var(--link);text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline}
code,pre{font-family:var(--mono);font-size:.875em}
code{overflow-wrap:anywhere}
pre{background:var(--shade);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;line-height:1.45}
pre code{overflow-wrap:normal}
main{padding:1rem;max-width:60rem}
h1{font-size:1.75rem;margin:.5rem 0 1rem}
h2{font-size:1.375rem;margin:3rem 0 1rem;padding-bottom:.25rem;border-bottom:2px solid var(--line)}
h2+p{margin-bottom:1.5rem}
h3{font-size:1.125rem;margin:0 0 .5rem}
h3 a{color:inherit}
h4{font-size:.8125rem;margin:1.25rem 0 .5rem;text-transform:uppercase;letter-spacing:.04em;color:var(--soft)}
h5{font-size:.9375rem;margin:1rem 0 .25rem;font-weight:600}
p{margin:.5rem 0}
article{margin:0 0 2.5rem;padding-bottom:1.5rem;border-bottom:1px solid var(--line)}
article:target h3::before{content:"";display:inline-block;width:.25rem;height:1em;margin-right:.5rem;vertical-align:-.125em;background:var(--link)}
.address{font-size:1.0625rem}
.method{display:inline-block;min-width:4.25rem;padding:.0625rem .5rem;border:1px solid currentColor;border-radius:4px;font:600 .75rem/1.5 var(--mono);text-align:center}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.access,.media,small{color:var(--soft)}
small{font-size:.8125em}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft);font-size:.8125rem}
td:first-child{min-width:8rem}
td p{margin:0}
.pattern{color:var(--soft)}
.status{display:inline-block;min-width:2.75rem;font:600 .875rem/1.5 var(--mono);color:var(--delete)}
.status.ok{color:var(--get)}
.error{display:flex;gap:.5rem;margin:.25rem 0;font-size:.9375rem}
.answer{margin:.25rem 0}
.answer summary{cursor:pointer}
.answer summary p{display:inline}
.variant{margin:0 0 1rem;padding-left:.75rem;border-left:3px solid var(--line)}
.index ul{list-style:none;margin:0 0 .75rem;padding:0}
.index li a{display:block;padding:.1875rem 0;color:var(--ink)}
.index p{margin:.75rem 0 .25rem;font-weight:600}
details.index{padding:.75rem 1rem;border-bottom:1px solid var(--line);background:var(--shade)}
details.index summary{cursor:pointer;font-weight:600}
nav.index{display:none}
@media(max-width:40rem){
table,tbody,tr,td{display:block}
thead{display:none}
tr{padding:.375rem 0;border-bottom:1px solid var(--line)}
td{padding:0;border:0}
td:empty{display:none}
td:first-child>code{font-weight:600}
td+td{color:var(--soft);font-size:.875rem}
}
@media(min-width:64rem){
body{display:grid;grid-template-columns:18rem minmax(0,1fr)}
details.index{display:none}
nav.index{display:block;position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.25rem 1rem;border-right:1px solid var(--line);background:var(--shade);font-size:.9375rem}
.home{display:block;margin-bottom:1rem;font-weight:700;font-size:1.0625rem;color:var(--ink)}
main{padding:1.5rem 3rem 6rem}
}
@media print{.index{display:none!important}}
`;
