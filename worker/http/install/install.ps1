# Installs the Bellhop agent on Windows:
#   irm @ORIGIN@/install.ps1 | iex
# Options by environment: $env:BELLHOP_VERSION, $env:BELLHOP_INSTALL_DIR, $env:BELLHOP_RELEASE_PUBLIC_KEY,
# $env:BELLHOP_ENROLMENT_CODE (Bellhop shows it for a new agent; for an administrator the agent then runs as a service).
# This script takes no agent key: give the key only to the agent, in its environment.
# For Windows PowerShell 5.1 and later; plain ASCII, because 5.1 reads downloads as Latin-1. Everything is in functions inside
# one block: a script that was cut off in transit runs nothing, and defines nothing in the caller's session. It throws and
# never exits, because an exit would close that session. The service fills in the names between @ and @.

& {
  Set-StrictMode -Version 2.0
  $ErrorActionPreference = 'Stop'
  # The progress bar makes downloads in Windows PowerShell many times slower.
  $ProgressPreference = 'SilentlyContinue'
  $Origin = '@ORIGIN@'
  $Latest = '@VERSION@'
  $DeploymentKey = '@KEY@'
  $Sums = @{
    # @SUMS@
  }

  function Stop-Bellhop([string]$Wrong, [string]$Next) {
    throw ('bellhop: ' + $Wrong + ' ' + $Next)
  }

  # The HTTP status of a failed request; 0 when there was no answer.
  function Get-BellhopStatus($Failure) {
    $exception = $Failure.Exception
    while ($null -ne $exception) {
      if ($exception -is [Net.WebException] -and $null -ne $exception.Response) {
        return [int]$exception.Response.StatusCode
      }
      $exception = $exception.InnerException
    }
    return 0
  }

  # Fetches into a file, and resumes at its end.
  function Receive-BellhopPart([string]$Url, [string]$File) {
    $have = [long]0
    if (Test-Path -LiteralPath $File) { $have = (Get-Item -LiteralPath $File).Length }
    $request = [Net.HttpWebRequest][Net.WebRequest]::Create($Url)
    $request.UserAgent = 'bellhop-install'
    $request.Timeout = 60000
    $request.ReadWriteTimeout = 60000
    $request.AutomaticDecompression = [Net.DecompressionMethods]::None
    # Windows PowerShell uses the system's proxy and ignores this variable.
    if ($env:HTTPS_PROXY -and $Url.StartsWith('https:')) {
      $request.Proxy = New-Object Net.WebProxy($env:HTTPS_PROXY, $true)
    } elseif ($null -ne $request.Proxy) {
      $request.Proxy.Credentials = [Net.CredentialCache]::DefaultCredentials
    }
    if ($have -gt 0) { $request.AddRange($have) }
    $response = $request.GetResponse()
    try {
      $mode = [IO.FileMode]::Create
      if ($have -gt 0 -and [int]$response.StatusCode -eq 206) { $mode = [IO.FileMode]::Append }
      $from = $response.GetResponseStream()
      $to = New-Object IO.FileStream($File, $mode, [IO.FileAccess]::Write)
      try {
        $from.CopyTo($to)
        $expected = $response.ContentLength
        if ($mode -eq [IO.FileMode]::Append -and $expected -ge 0) { $expected += $have }
        if ($expected -ge 0 -and $to.Length -ne $expected) { throw 'the connection was cut' }
      } finally {
        $to.Dispose()
        $from.Dispose()
      }
    } finally {
      $response.Close()
    }
  }

  # $true when the file is fetched, $false for 404; throws after six failed attempts.
  function Receive-BellhopFile([string]$Url, [string]$File, [string]$What) {
    for ($attempt = 1; $true; $attempt++) {
      try {
        Receive-BellhopPart $Url $File
        return $true
      } catch {
        $status = Get-BellhopStatus $_
        if ($status -eq 404) { return $false }
        # The partial file cannot be resumed.
        if ($status -eq 416) { Remove-Item -LiteralPath $File -Force -ErrorAction SilentlyContinue }
        if ($attempt -ge 6) {
          Stop-Bellhop ($What + ' could not be downloaded from ' + $Origin + ': ' + $_.Exception.Message) 'Check the network, the proxy (HTTPS_PROXY) and the certificates, and run this again.'
        }
        Start-Sleep -Seconds $attempt
      }
    }
  }

  # Other programs named openssl have no -rawin, and would reject every signature.
  function Test-BellhopVerifier {
    if ($null -eq (Get-Command openssl -CommandType Application -ErrorAction SilentlyContinue)) { return $false }
    $ErrorActionPreference = 'Continue'
    $said = [string](& openssl version 2>$null)
    return $said -match '^OpenSSL ([3-9]|[1-9][0-9])[.]'
  }

  # Checks the signature of the manifest with openssl: .NET Framework has no Ed25519.
  function Confirm-BellhopSignature([string]$Key, [string]$Manifest, [string]$Work, [string]$Version) {
    $encoded = Join-Path $Work 'manifest.json.sig'
    if (-not (Receive-BellhopFile ($Origin + '/downloads/agent/' + $Version + '/manifest.json.sig') $encoded 'The signature')) {
      Stop-Bellhop ('release ' + $Version + ' is not signed, but a signature is required.') ('Ask the operator of ' + $Origin + ' for a signed release. Nothing was installed.')
    }
    $pem = Join-Path $Work 'key.pem'
    $raw = Join-Path $Work 'signature'
    [IO.File]::WriteAllLines($pem, @('-----BEGIN PUBLIC KEY-----', ('MCowBQYDK2VwAyEA' + $Key), '-----END PUBLIC KEY-----'))
    $right = $false
    try {
      [IO.File]::WriteAllBytes($raw, [Convert]::FromBase64String([IO.File]::ReadAllText($encoded).Trim()))
      # Output on standard error must not end this script.
      $ErrorActionPreference = 'Continue'
      & openssl pkeyutl -verify -rawin -pubin -inkey $pem -sigfile $raw -in $Manifest 2>&1 | Out-Null
      $right = $LASTEXITCODE -eq 0
    } catch {
      $right = $false
    }
    if (-not $right) {
      Stop-Bellhop ('the signature of release ' + $Version + ' was not made with the key ' + $Key + '.') ('Do not use this download, and inform the operator of ' + $Origin + '. Nothing was installed.')
    }
  }

  function Install-BellhopAgent {
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    if (-not [Environment]::Is64BitOperatingSystem) {
      Stop-Bellhop 'this is a 32-bit system.' 'Install the agent on 64-bit Windows.'
    }
    # Windows on ARM runs it, too.
    $target = 'windows-x64'
    $version = $env:BELLHOP_VERSION
    if (-not $version -or $version -eq 'latest') { $version = $Latest }
    if ($version -notmatch '^[0-9][0-9A-Za-z.-]*$') {
      Stop-Bellhop 'BELLHOP_VERSION is not a version.' ('A version looks like ' + $Latest + '.')
    }

    # Not shown, because it may be a key.
    if ($env:BELLHOP_ENROLMENT_CODE -and $env:BELLHOP_ENROLMENT_CODE -notmatch '^bhe_') {
      Stop-Bellhop 'BELLHOP_ENROLMENT_CODE is not an enrolment code.' 'Copy the whole command from the page of the agent in Bellhop. Nothing was installed.'
    }

    $given = $env:BELLHOP_RELEASE_PUBLIC_KEY
    $key = $DeploymentKey
    if ($given) { $key = $given }
    if ($key -and $key -notmatch '^[A-Za-z0-9+/]{43}=$') {
      Stop-Bellhop 'BELLHOP_RELEASE_PUBLIC_KEY is not a key.' 'A key is 44 characters of base64, as the build printed them.'
    }
    $verify = [bool]$key -and (Test-BellhopVerifier)
    if ($given -and -not $verify) {
      Stop-Bellhop 'the signature cannot be checked without openssl 3 on PATH.' 'Install openssl 3 (Git for Windows includes it), or unset BELLHOP_RELEASE_PUBLIC_KEY to rely on the SHA-256 sum.'
    }
    if ($key -and -not $verify) {
      Write-Warning 'bellhop: without openssl 3 on PATH only the SHA-256 sum is checked, not the signature.'
    }

    $directory = $env:BELLHOP_INSTALL_DIR
    $me = New-Object Security.Principal.WindowsPrincipal([Security.Principal.WindowsIdentity]::GetCurrent())
    $administrator = $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
    if (-not $directory) {
      $base = $env:LOCALAPPDATA
      if ($administrator) { $base = $env:ProgramFiles }
      $directory = Join-Path $base 'Bellhop'
    }
    $made = -not (Test-Path -LiteralPath $directory)
    [IO.Directory]::CreateDirectory($directory) | Out-Null
    $directory = (Get-Item -LiteralPath $directory).FullName
    $done = $false
    # Beside the executable, so that the last step is a rename within one volume.
    $work = Join-Path $directory ('.bellhop-agent.' + [Guid]::NewGuid().ToString('N'))
    try {
      [IO.Directory]::CreateDirectory($work) | Out-Null
      $sum = $null
      if ($version -eq $Latest -and $Sums.ContainsKey($target)) { $sum = $Sums[$target] }
      if (-not $sum -or $verify) {
        $listed = Get-BellhopSum $version $target $work $key $verify
        if ($sum -and $sum -ne $listed) {
          Stop-Bellhop ('the sum of release ' + $version + ' differs from the one in this script.') ('Download the script again. If that does not help, inform the operator of ' + $Origin + '.')
        }
        $sum = $listed
      }
      Write-Host ('Installing bellhop-agent ' + $version + ' for ' + $target + ' to ' + $directory)
      $staged = Join-Path $work 'bellhop-agent.exe'
      if (-not (Receive-BellhopFile ($Origin + '/downloads/agent/' + $version + '/' + $target) $staged 'The executable')) {
        Stop-Bellhop ('release ' + $version + ' has no executable for ' + $target + '.') ('See the newest release: ' + $Origin + '/downloads/agent/latest/manifest.json')
      }
      $found = (Get-FileHash -LiteralPath $staged -Algorithm SHA256).Hash.ToLowerInvariant()
      if ($found -ne $sum) {
        Stop-Bellhop ('the download differs from the published file: expected SHA-256 ' + $sum + ', found ' + $found + '.') ('Run this again. If that does not help, inform the operator of ' + $Origin + '. Nothing was installed.')
      }
      & $staged --version | Out-Null
      if ($LASTEXITCODE -ne 0) {
        Stop-Bellhop 'the agent does not start on this machine.' 'It needs Windows 10 or Server 2019, or newer.'
      }
      $installed = Join-Path $directory 'bellhop-agent.exe'
      $replaced = Test-Path -LiteralPath $installed
      Move-BellhopIntoPlace $staged $installed
      $done = $true
    } finally {
      Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
      if ($made -and -not $done) { Remove-Item -LiteralPath $directory -Force -ErrorAction SilentlyContinue }
    }
    $checked = 'its SHA-256 sum is correct'
    if ($verify) {
      $checked = 'its SHA-256 sum and signature are correct'
    } elseif (-not $key) {
      $checked = 'its SHA-256 sum is correct (no signature was checked: this deployment names no release key)'
    }
    Write-Host ('Installed ' + $installed + '; ' + $checked + '.')
    if ($env:BELLHOP_ENROLMENT_CODE) {
      Register-BellhopAgent $installed $administrator
      return
    }
    if ($replaced) {
      Write-Host ('A running agent uses the old executable until it restarts. As a service, as administrator: & "' + $installed + '" service install')
      return
    }
    Write-Host 'Next:'
    Write-Host '  1. Create an agent in Bellhop and copy its key, which is shown once.'
    Write-Host '  2. Set the agent''s environment:'
    Write-Host ('       AGENT_API_URL=' + $Origin)
    Write-Host '       AGENT_API_KEY=<the key>'
    Write-Host ('  3. Check the installation:   & "' + $installed + '" doctor')
    Write-Host '  4. Run it as a service, as administrator; it asks for the key:'
    Write-Host ('       & "' + $installed + '" service install --url ' + $Origin)
  }

  # The agent reads the code from its environment. The code must not stay in the caller's session.
  function Register-BellhopAgent([string]$Installed, [bool]$Administrator) {
    try {
      if ($Administrator) {
        & $Installed service install --url $Origin
      } else {
        & $Installed enrol --url $Origin
      }
      if ($LASTEXITCODE -ne 0) {
        Stop-Bellhop 'the agent is installed, but has no key or does not run.' 'The lines above name the reason.'
      }
    } finally {
      Remove-Item -LiteralPath 'Env:BELLHOP_ENROLMENT_CODE' -ErrorAction SilentlyContinue
    }
  }

  # The target's sum in the manifest, whose signature is checked if $Verify is set.
  function Get-BellhopSum([string]$Version, [string]$Target, [string]$Work, [string]$Key, [bool]$Verify) {
    $file = Join-Path $Work 'manifest.json'
    if (-not (Receive-BellhopFile ($Origin + '/downloads/agent/' + $Version + '/manifest.json') $file 'The manifest')) {
      Stop-Bellhop ('there is no release ' + $Version + ' at ' + $Origin + '.') ('See the newest release: ' + $Origin + '/downloads/agent/latest/manifest.json')
    }
    if ($Verify) { Confirm-BellhopSignature $Key $file $Work $Version }
    $manifest = [IO.File]::ReadAllText($file) | ConvertFrom-Json
    if ($manifest.version -ne $Version) {
      Stop-Bellhop ('the manifest of release ' + $Version + ' names another version.') ('Inform the operator of ' + $Origin + '. Nothing was installed.')
    }
    $entry = @($manifest.executables | Where-Object { $_.target -eq $Target })
    if ($entry.Count -ne 1) {
      Stop-Bellhop ('release ' + $Version + ' has no executable for ' + $Target + '.') 'Choose another with BELLHOP_VERSION.'
    }
    return [string]$entry[0].sha256
  }

  # Windows cannot overwrite a running executable, but can rename it. The old one is put back if the new one cannot be moved.
  function Move-BellhopIntoPlace([string]$Staged, [string]$Installed) {
    $aside = $null
    if (Test-Path -LiteralPath $Installed) {
      $aside = $Installed + '.old-' + [Guid]::NewGuid().ToString('N')
      [IO.File]::Move($Installed, $aside)
    }
    try {
      [IO.File]::Move($Staged, $Installed)
    } catch {
      if ($null -ne $aside) { [IO.File]::Move($aside, $Installed) }
      throw
    }
    # A running old executable stays; the next installation removes it.
    Get-ChildItem -Path ($Installed + '.old-*') -ErrorAction SilentlyContinue | Remove-Item -Force -ErrorAction SilentlyContinue
  }

  Install-BellhopAgent
}
