/** What is left of a division, never negative. */
export function mod(n: bigint, modulus: bigint): bigint {
  return ((n % modulus) + modulus) % modulus
}

export function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, mod(base, modulus)]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/** Modulo a prime, by Euclid's extended algorithm. */
export function inverse(n: bigint, prime: bigint): bigint {
  let [rest, divisor] = [prime, mod(n, prime)]
  let [ofRest, ofDivisor] = [0n, 1n]
  while (divisor > 0n) {
    const quotient = rest / divisor
    ;[rest, divisor] = [divisor, rest - quotient * divisor]
    ;[ofRest, ofDivisor] = [ofDivisor, ofRest - quotient * ofDivisor]
  }
  return mod(ofRest, prime)
}

export function primesUpTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, n) => n).filter(
    (n) =>
      n > 1 &&
      !Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, i) => n % (i + 2)).includes(0),
  )
}

export function productOf(numbers: number[]): bigint {
  return numbers.reduce((product, n) => product * BigInt(n), 1n)
}

export function powersOf65537(prime: number): Set<bigint> {
  return new Set(Array.from({ length: prime }, (_, n) => power(65_537n, BigInt(n), BigInt(prime))))
}
