/** Most specific first: nearly every browser claims to be Chrome, Safari and Mozilla as well. */
const PROGRAMS: [pattern: RegExp, name: string][] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPX|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bQQBrowser\//, 'QQ Browser'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  // From the start of the text only, so that nothing is looked for again and again.
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

/** What a User-Agent seems to say; only ever words from the lists above. */
export function describeUserAgent(userAgent: string): { program?: string; system?: string } {
  const program = nameIn(PROGRAMS, userAgent)
  const system = nameIn(SYSTEMS, userAgent)
  return { ...(program !== undefined && { program }), ...(system !== undefined && { system }) }
}

function nameIn(names: [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1]
}
