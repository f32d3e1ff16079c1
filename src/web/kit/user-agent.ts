/** Most specific first: most browsers also claim to be Chrome, Safari and Mozilla. */
const PROGRAMS: [pattern: RegExp, name: string][] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPX|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bQQBrowser\//, 'QQ Browser'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  // Anchored, so that the pattern is tried once and takes linear time.
  [/^(?=.*\bVersion\/[\d.])(?=.*\bSafari\/)/, 'Safari'],
  [/^curl\//, 'curl'],
  [/^Wget\//, 'Wget'],
  [/^SFTPGo$/, 'SFTPGo'],
  [/^sftp$/, 'SFTP'],
  [/\brclone\//, 'rclone'],
]

const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPad\b/, 'iPad'],
  [/\biPhone\b/, 'iPhone'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

/** Finds the program and the system that a User-Agent names; returns only words of the lists above. */
export function describeUserAgent(userAgent: string): { program?: string; system?: string } {
  const program = nameIn(PROGRAMS, userAgent)
  const system = nameIn(SYSTEMS, userAgent)
  return { ...(program !== undefined && { program }), ...(system !== undefined && { system }) }
}

function nameIn(names: [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1]
}
