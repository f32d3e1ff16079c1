/** What the Worker's isolate held when it had answered so many requests. */
export interface HeapSample {
  requests: number
  bytes: number
}

/** How memory went on after the warm-up, as the straight line that fits best has it. */
export interface Growth {
  bytesPerRequest: number
  /** From the first sample after the warm-up to the last. */
  requests: number
  grownBytes: number
  allowedBytes: number
}

/** V8 compiles what has run often, and what runs seldom has so late: 70 to 190 KiB were seen. */
const LATE_BYTES = 256 * 1024
/** Two words of V8: whatever object is kept of every request, it and what points to it take more. */
const BYTES_PER_REQUEST = 16

/** By least squares over all but the first third of the samples, in which everything warms up. */
export function growthOf(samples: HeapSample[]): Growth {
  const judged = samples.slice(Math.ceil(samples.length / 3))
  const mean = (of: (sample: HeapSample) => number) =>
    judged.reduce((sum, sample) => sum + of(sample), 0) / judged.length
  const [at, size] = [mean((sample) => sample.requests), mean((sample) => sample.bytes)]
  const covariance = mean((sample) => (sample.requests - at) * (sample.bytes - size))
  const bytesPerRequest = covariance / mean((sample) => (sample.requests - at) ** 2)
  const requests = (judged.at(-1)?.requests ?? NaN) - (judged[0]?.requests ?? NaN)
  return {
    bytesPerRequest,
    requests,
    grownBytes: bytesPerRequest * requests,
    allowedBytes: LATE_BYTES + BYTES_PER_REQUEST * requests,
  }
}

/** Too few samples to tell are not flat. */
export function isFlat({ grownBytes, allowedBytes }: Growth): boolean {
  return grownBytes <= allowedBytes
}
