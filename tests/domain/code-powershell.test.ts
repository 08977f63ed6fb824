import { describe, expect, test } from "bun:test";
import { checkCode, renderCode } from "../../worker/domain/template.ts";

/**
 * No PowerShell runs here, so the text itself is compared, and judged by the language's documentation: in double quotes and
 * in here-strings between @" and "@ a variable is replaced by its value once, and the value is not read again
 * (about_Quoting_Rules); `${env:NAME}` is the variable of the environment (about_Environment_Variables).
 */
describe("places in PowerShell that take a value", () => {
  test.each([
    ["Restart-Service {{v}}", 'Restart-Service "${env:BELLHOP_VALUE_1}"'],
    ["Restart-Service -Name {{v}} -Force", 'Restart-Service -Name "${env:BELLHOP_VALUE_1}" -Force'],
    ['Write-Output "at {{v}}!"', 'Write-Output "at ${env:BELLHOP_VALUE_1}!"'],
    ["$x = {{v}}", '$x = "${env:BELLHOP_VALUE_1}"'],
    ["if ($a -eq {{v}}) { Get-Item $a }", 'if ($a -eq "${env:BELLHOP_VALUE_1}") { Get-Item $a }'],
    ["f @({{v}}, 1)", 'f @("${env:BELLHOP_VALUE_1}", 1)'],
    ["# it's {{w}}\nf {{v}} <# \" {{w}} #>", '# it\'s {{w}}\nf "${env:BELLHOP_VALUE_1}" <# " {{w}} #>'],
    ["f 'it''s' {{v}}", "f 'it''s' \"${env:BELLHOP_VALUE_1}\""],
    ['f "a""b`"{{v}}"', 'f "a""b`"${env:BELLHOP_VALUE_1}"'],
    ['$t = @"\n"a" `$5 {{v}}\n"@', '$t = @"\n"a" `$5 ${env:BELLHOP_VALUE_1}\n"@'],
    ["$x = {{v}}\nGet-Item $x", '$x = "${env:BELLHOP_VALUE_1}"\nGet-Item $x'],
    ["$exe = 'a.exe'\n& $exe {{v}}", "$exe = 'a.exe'\n& $exe \"${env:BELLHOP_VALUE_1}\""],
    ['& "a.exe" "{{v}}"', '& "a.exe" "${env:BELLHOP_VALUE_1}"'],
    ['& { Write-Output "{{v}}" }', '& { Write-Output "${env:BELLHOP_VALUE_1}" }'],
    ['"{{v}}" | Out-File a.txt', '"${env:BELLHOP_VALUE_1}" | Out-File a.txt'],
    ["Set-Content a.txt {{v}}\n./a.ps1", 'Set-Content a.txt "${env:BELLHOP_VALUE_1}"\n./a.ps1'],
    [
      "function Run($exe) { & $exe }\nRun a.exe\nf {{v}}",
      'function Run($exe) { & $exe }\nRun a.exe\nf "${env:BELLHOP_VALUE_1}"',
    ],
    ['f && "{{v}}"', 'f && "${env:BELLHOP_VALUE_1}"'],
    ["$t = @'\nit's \"\n'@\nf {{v}}", "$t = @'\nit's \"\n'@\nf \"${env:BELLHOP_VALUE_1}\""],
  ])("%s", (script, text) => {
    expect(checkCode("powershell", script)).toEqual([]);
    expect(renderCode("powershell", script, () => "x")).toEqual({ ok: true, text, values: { BELLHOP_VALUE_1: "x" } });
  });
});

describe("places in PowerShell that are refused", () => {
  test.each([
    ["{{v}}", "one template alone"],
    ["{{v}} -Name x", "command begins"],
    ["& {{v}}", "command begins"],
    [". {{v}}", "command begins"],
    ["f | {{v}}", "command begins"],
    ["f\n  {{v}}", "command begins"],
    ["f a{{v}}", "longer word"],
    ["f {{v}}a", "longer word"],
    ["f $x.{{v}}", "longer word"],
    ["f '{{v}}'", "single quotes"],
    ["f \u2018{{v}}\u2019", "single quotes"],
    ['f "`{{v}}"', "backtick"],
    ['f "${{v}}"', "remove the $"],
    ["f ${a{{v}}}", "name of a variable"],
    ['f "$(g {{v}})"', "cannot be followed"],
    ["$t = @'\n{{v}}\n'@", "backtick before every other"],
    ['$t = @"\n$(g) {{v}}\n"@', "cannot be followed"],
    ['$t = @"\n${\n"@\nf {{v}}}', "cannot be followed"],
    ['$t = @"\n`{{v}}\n"@', "backtick"],
    ['f "{{v}}', "cannot be followed"],
    ["iex {{v}}", "iex"],
    ['$x = "{{v}}"\nInvoke-Expression $x', "Invoke-Expression"],
    ['[scriptblock]::Create("{{v}}")', "scriptblock"],
    ['cmd /c "dir {{v}}"', "cmd"],
    ["cmd.exe /c dir {{v}}", "cmd"],
    ['"{{v}}" |\n  powershell -Command -', "powershell"],
    ["Start-Process {{v}}", "Start-Process"],
    ["f --% {{v}}", "--%"],
    ["npm install {{v}}", "npm"],
    [".\\deploy.cmd {{v}}", "deploy.cmd"],
    ["Import-Module {{v}}", "Import-Module"],
    ["Set-Item function:f {{v}}", "function:"],
    ["[Diagnostics.Process]::Start({{v}})", "Start"],
    ["[powershell]::Create().AddScript({{v}})", "powershell"],
    ["$x = {{v}}\n& $x", "$x"],
    ['$x = "a {{v}}"\n$y = $x\ncmd /c $y', "$y"],
    ['$x = @"\n{{v}}\n"@\n. $x', "$x"],
    ["$h = @{\n a = {{v}}\n}\n& $h.a", "$h"],
    ["foreach ($s in {{v}}) { & $s }", "$s"],
    ['& "{{v}}" -x', "command begins"],
    ['&"{{v}}"', "command begins"],
    ['& "C:\\tools\\{{v}}.exe"', "command begins"],
    ['. "C:\\x\\{{v}}.ps1"', "command begins"],
    ['& ("{{v}}")', "command begins"],
    ['& (("a" + "{{v}}"))', "command begins"],
    ['& $("{{v}}")', "command begins"],
    ['& (Join-Path "C:\\x" {{v}})', "command begins"],
    ['& @"\n{{v}}\n"@', "command begins"],
    ['if ($true) { & "{{v}}" }', "command begins"],
    ['$r = & "{{v}}"', "command begins"],
    ['"{{v}}" | % { & $_ }', "$_"],
    ["$x = {{v}}\n$x | ForEach-Object { & $PSItem }", "$psitem"],
    ["switch ({{v}}) { default { & $_ } }", "$_"],
    ["Set-Content a.ps1 {{v}}; . ./a.ps1", "a.ps1"],
    ["Set-Content a.ps1 {{v}}\n./a.ps1", "a.ps1"],
    ["$x = {{v}}\n$x | Out-File 'C:\\x\\a.ps1'\n& 'C:\\x\\a.ps1'", "a.ps1"],
    ["{{w}}; Add-Content -Path a.ps1 -Value {{v}}\npowershell -File a.ps1", "a.ps1"],
    ['"echo {{v}}" > a.ps1\nif ($a) { & .\\a.ps1 }', "a.ps1"],
    ["$f = 'a.ps1'\nSet-Content $f {{v}}\n. $f", "$f"],
    ["$f = 'a.ps1'\n$x = {{v}}\nSet-Content $f $x\n. $f", "$f"],
    ["function Run($exe) { & $exe }\nRun {{v}}", "$exe"],
    ["function Run { & $args[0] }\n$x = {{v}}\nRun $x", "$args"],
  ])("%s", (script, why) => {
    expect(checkCode("powershell", script).join("\n")).toContain(why);
  });
});
