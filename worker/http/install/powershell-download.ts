/** Fetching, resuming, and checking. No braces after a dollar and no backticks: this is a template's text. */
export const POWERSHELL_DOWNLOAD = String.raw`
  function Stop-Bellhop([string]$Wrong, [string]$Next) {
    throw ('bellhop: ' + $Wrong + ' ' + $Next)
  }

  # Another status than 200 and 206 as a number; 0 when there was no answer.
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

  # Fetches into a file, and goes on where the file ends.
  function Receive-BellhopPart([string]$Url, [string]$File) {
    $have = [long]0
    if (Test-Path -LiteralPath $File) { $have = (Get-Item -LiteralPath $File).Length }
    $request = [Net.HttpWebRequest][Net.WebRequest]::Create($Url)
    $request.UserAgent = 'bellhop-install'
    $request.Timeout = 60000
    $request.ReadWriteTimeout = 60000
    $request.AutomaticDecompression = [Net.DecompressionMethods]::None
    # Windows PowerShell knows the system's proxy, and not this variable.
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

  # $true when it is there, $false for 404; throws when six tries failed.
  function Receive-BellhopFile([string]$Url, [string]$File, [string]$What) {
    for ($attempt = 1; $true; $attempt++) {
      try {
        Receive-BellhopPart $Url $File
        return $true
      } catch {
        $status = Get-BellhopStatus $_
        if ($status -eq 404) { return $false }
        # There is nothing to go on from.
        if ($status -eq 416) { Remove-Item -LiteralPath $File -Force -ErrorAction SilentlyContinue }
        if ($attempt -ge 6) {
          Stop-Bellhop ($What + ' could not be downloaded from ' + $Origin + ': ' + $_.Exception.Message) 'Check the network, the proxy (HTTPS_PROXY) and the certificates, and run this again.'
        }
        Start-Sleep -Seconds $attempt
      }
    }
  }

  # Others call themselves openssl, too, and know no -rawin: they would call every signature wrong.
  function Test-BellhopVerifier {
    if ($null -eq (Get-Command openssl -CommandType Application -ErrorAction SilentlyContinue)) { return $false }
    $ErrorActionPreference = 'Continue'
    $said = [string](& openssl version 2>$null)
    return $said -match '^OpenSSL ([3-9]|[1-9][0-9])[.]'
  }

  # The signature over the manifest, by openssl: .NET Framework knows no Ed25519.
  function Confirm-BellhopSignature([string]$Key, [string]$Manifest, [string]$Work, [string]$Version) {
    $encoded = Join-Path $Work 'manifest.json.sig'
    if (-not (Receive-BellhopFile ($Origin + '/downloads/agent/' + $Version + '/manifest.json.sig') $encoded 'The signature')) {
      Stop-Bellhop ('release ' + $Version + ' is not signed, and a key was given.') 'Ask for a signed release. Nothing was installed.'
    }
    $pem = Join-Path $Work 'key.pem'
    $raw = Join-Path $Work 'signature'
    [IO.File]::WriteAllLines($pem, @('-----BEGIN PUBLIC KEY-----', ('MCowBQYDK2VwAyEA' + $Key), '-----END PUBLIC KEY-----'))
    $right = $false
    try {
      [IO.File]::WriteAllBytes($raw, [Convert]::FromBase64String([IO.File]::ReadAllText($encoded).Trim()))
      # What it says on standard error must not end this script.
      $ErrorActionPreference = 'Continue'
      & openssl pkeyutl -verify -rawin -pubin -inkey $pem -sigfile $raw -in $Manifest 2>&1 | Out-Null
      $right = $LASTEXITCODE -eq 0
    } catch {
      $right = $false
    }
    if (-not $right) {
      Stop-Bellhop ('the signature of release ' + $Version + ' is not one of the key ' + $Key + '.') ('Do not use this download: tell whoever runs ' + $Origin + '. Nothing was installed.')
    }
  }
`;
