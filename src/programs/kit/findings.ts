import { terminalJson, visibleLines } from '../../core/base/text.ts'
import { saidHere } from './printed-command.ts'

/** The result of a check. */
export interface Finding {
  check: string
  status: 'ok' | 'warn' | 'fail'
  text: string
  /** The step that solves the problem. */
  fix?: string
}

/** A check that found nothing wrong. */
export function good(check: string, text: string): Finding {
  return { check, status: 'ok', text }
}

/** Something that an operator should know; it does not fail the command. */
export function warning(check: string, text: string, fix?: string): Finding {
  return { check, status: 'warn', text, ...(fix !== undefined && { fix }) }
}

/** Something that does not work. */
export function failure(check: string, text: string, fix?: string): Finding {
  return { check, status: 'fail', text, ...(fix !== undefined && { fix }) }
}

/** Prints findings. The exit code is 1 when one has failed. */
export function showFindings(found: Finding[], json: boolean): void {
  const findings = found.map((finding) => ({
    ...finding,
    text: saidHere(finding.text),
    ...(finding.fix !== undefined && { fix: saidHere(finding.fix) }),
  }))
  console.log(json ? terminalJson({ findings }, 2) : visibleLines(render(findings)))
  if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1
}

function render(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map(({ check, status, text, fix }) => {
      const remedy = fix === undefined ? '' : `\n${' '.repeat(width + 8)}→ ${fix}`
      return `${status.padEnd(4)}  ${check.padEnd(width)}  ${text}${remedy}`
    })
    .join('\n')
}

/** Things that a finding names; of more, it tells the number. */
const MAX_NAMES = 5

/** Names the first things of a list, and says how many more there are. */
export function some(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
