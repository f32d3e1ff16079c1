import { SingleBar } from 'cli-progress'

/** The progress of an import, on stderr, so that standard output has only the report. */
export interface Progress {
  advance: (accounts: number) => void
  stop: () => void
}

const ACCOUNTS_PER_LINE = 2000

/** Starts a bar on a terminal; elsewhere, such as in a log, a line per 2,000 accounts. */
export function startProgress(total: number): Progress {
  return process.stderr.isTTY ? startBar(total) : startLines(total)
}

function startBar(total: number): Progress {
  const bar = new SingleBar({
    format: 'Users {bar} {value} of {total}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  })
  bar.start(total, 0)
  return { advance: (accounts) => bar.increment(accounts), stop: () => bar.stop() }
}

function startLines(total: number): Progress {
  let done = 0
  const advance = (accounts: number) => {
    const before = done
    done += accounts
    if (Math.floor(done / ACCOUNTS_PER_LINE) > Math.floor(before / ACCOUNTS_PER_LINE))
      console.error(`${done} of ${total} users`)
  }
  return { advance, stop: () => undefined }
}
