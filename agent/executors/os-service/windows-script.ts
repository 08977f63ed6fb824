/**
 * For Windows PowerShell 5.1 and PowerShell 7. The name is only compared, never used in a pattern, a filter or code.
 * Answers with one line of JSON: `{code, message, service, status, stopped}`.
 */
export const WINDOWS_SERVICE_SCRIPT = String.raw`
$ErrorActionPreference = 'Stop'
$WarningPreference = 'SilentlyContinue'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
$verb = $env:BELLHOP_VERB
$name = $env:BELLHOP_SERVICE
$stopped = @()

function Answer($code, $message, $service) {
  $status = ''
  $id = $name
  if ($null -ne $service) { $service.Refresh(); $status = [string]$service.Status; $id = $service.Name }
  $answer = [ordered]@{ code = $code; message = $message; service = $id; status = $status; stopped = @($stopped) }
  ConvertTo-Json -InputObject $answer -Compress -Depth 3
  if ($code -eq 'ok') { exit 0 } else { exit 1 }
}

$service = $null
try {
  $all = @(Get-Service)
  if ($verb -eq 'list') {
    Answer 'ok' ('PowerShell ' + $PSVersionTable.PSVersion + ' sees ' + $all.Count + ' services.') $null
  }
  $found = @($all | Where-Object { $_.Name -eq $name })
  if ($found.Count -eq 0) { $found = @($all | Where-Object { $_.DisplayName -eq $name }) }
  if ($found.Count -eq 0) {
    Answer 'service_not_found' ('The agent''s host has no service ' + $name + '. Get-Service lists the services.') $null
  }
  if ($found.Count -gt 1) {
    Answer 'invalid_params' ($name + ' is the display name of several services. Use the name of one: ' + (($found | ForEach-Object { $_.Name }) -join ', ') + '.') $null
  }
  $service = $found[0]
  $own = @($env:BELLHOP_OWN_PROCESSES -split ',' | ForEach-Object { [int]$_ })
  $details = Get-CimInstance -ClassName Win32_Service | Where-Object { $_.Name -eq $service.Name }
  if ($verb -ne 'start' -and $null -ne $details -and $details.ProcessId -ne 0 -and $own -contains [int]$details.ProcessId) {
    Answer 'own_service' ($service.Name + ' is the service that this agent runs in: to ' + $verb + ' it would end this job. Do it from another agent, or on the machine.') $service
  }
  if ($verb -ne 'stop' -and $null -ne $details -and $details.StartMode -eq 'Disabled') {
    Answer 'service_disabled' ($service.Name + ' is disabled on the agent''s host: an administrator has forbidden its start. Set-Service -StartupType Manual allows it again.') $service
  }
  $running = @($service.DependentServices | Where-Object { $_.Status -ne 'Stopped' })
  # Without -Force Windows refuses to stop what others need; with it, those are stopped, too.
  $force = $running.Count -gt 0
  if ($verb -ne 'start') { $stopped = @($running | ForEach-Object { $_.Name }) }
  if ($verb -eq 'start') { Start-Service -InputObject $service }
  if ($verb -eq 'stop') { Stop-Service -InputObject $service -Force:$force }
  if ($verb -eq 'restart') {
    Restart-Service -InputObject $service -Force:$force
    foreach ($dependent in $running) { Start-Service -InputObject $dependent }
  }
  if ($verb -eq 'stop') { $service.WaitForStatus('Stopped') } else {
    $service.WaitForStatus('Running')
    Start-Sleep -Milliseconds 1000
    $service.Refresh()
    if ($service.Status -ne 'Running') {
      Answer 'service_failed' ($service.Name + ' ended right after it was started: it is ' + $service.Status + '. See the event log (System, source Service Control Manager).') $service
    }
  }
  Answer 'ok' ($service.Name + ' is ' + $service.Status + '.') $service
} catch {
  $code = 'service_failed'
  $remedy = 'See the event log (System, source Service Control Manager).'
  for ($inner = $_.Exception; $null -ne $inner; $inner = $inner.InnerException) {
    if ($inner -is [System.ComponentModel.Win32Exception] -and $inner.NativeErrorCode -eq 5) {
      $code = 'permission_denied'
      $remedy = 'Run the agent as LocalSystem or as an administrator, or give its account the right to this service.'
    }
  }
  Answer $code ('Could not ' + $verb + ' ' + $name + ': ' + $_.Exception.Message + ' ' + $remedy) $service
}
`;
