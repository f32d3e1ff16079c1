import { SingleBar } from 'cli-progress'

/** The progress of a long command, on stderr, so that standard output has only its result. */
export interface Progress {
  advance: (count: number) => void
  stop: () => void
}

/** The things that are counted. */
interface Counted {
  /** `users` */
  name: string
  /** Where no bar is shown, there is a line for each so many. */
  perLine: number
}

/** Starts a bar on a terminal; elsewhere, such as in a log, a line for every some thousand. */
export function startProgress(total: number, counted: Counted): Progress {
  return process.stderr.isTTY ? startBar(total, counted) : startLines(total, counted)
}

function startBar(total: number, { name }: Counted): Progress {
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  const bar = new SingleBar({
    format: `${title} {bar} {value} of {total}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  })
  bar.start(total, 0)
  return { advance: (count) => bar.increment(count), stop: () => bar.stop() }
}

function startLines(total: number, { name, perLine }: Counted): Progress {
  let done = 0
  const advance = (count: number) => {
    const before = done
    done += count
    if (Math.floor(done / perLine) > Math.floor(before / perLine))
      console.error(`${done} of ${total} ${name}`)
  }
  return { advance, stop: () => undefined }
}
