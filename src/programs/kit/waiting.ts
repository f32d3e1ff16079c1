/** A person takes a shorter silence for work. */
const SILENCE_MILLISECONDS = 2000
const FRAME_MILLISECONDS = 100
const FRAMES = Array.from('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏')
/** Returns to the start of the line and erases it. @see ECMA-48 section 8.3.41 (EL) */
const ERASE = '\r\u001b[K'

type Terminal = Pick<typeof process.stderr, 'isTTY' | 'write'>

/**
 * Shows on a terminal what a program waits for and for how long, when that takes longer than two
 * seconds. Scripts and logs get nothing.
 *
 * @returns A function that ends it and erases the line.
 */
export function startWaiting(text: string, terminal: Terminal = process.stderr): () => void {
  if (!terminal.isTTY) return () => undefined
  const start = Date.now()
  let frame = 0
  const timer = setInterval(() => {
    const milliseconds = Date.now() - start
    if (milliseconds < SILENCE_MILLISECONDS) return
    frame = (frame + 1) % FRAMES.length
    terminal.write(`${ERASE}${FRAMES[frame]} ${text}, ${Math.floor(milliseconds / 1000)} s`)
  }, FRAME_MILLISECONDS)
  // A failed command must not wait for it.
  timer.unref()
  return () => {
    clearInterval(timer)
    if (Date.now() - start >= SILENCE_MILLISECONDS) terminal.write(ERASE)
  }
}

/** Shows what a program waits for until the work is done or fails; see `startWaiting`. */
export async function whileWaiting<Result>(
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = startWaiting(text)
  try {
    return await work()
  } finally {
    stop()
  }
}
