import { inverse, mod, power } from './numbers.ts'

/** The prime of the field. */
export const P = 2n ** 255n - 19n
/** The order of the base point. */
export const GROUP_ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const D = mod(-121_665n * inverse(121_666n, P), P)

/** A point of the curve −x² + y² = 1 + d·x²·y². @see RFC 8032 section 5.1 */
export interface Point {
  x: bigint
  y: bigint
}

const NEUTRAL: Point = { x: 0n, y: 1n }

/** One of the two points with this y, where there is one. @see RFC 8032 section 5.1.3 */
export function findPoint(y: bigint): Point | undefined {
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n, P), P)
  const root = power(square, (P + 3n) / 8n, P)
  const turned = mod(root * power(2n, (P - 1n) / 4n, P), P)
  const x = [root, turned].find((item) => mod(item * item, P) === square)
  return x === undefined ? undefined : { x, y: mod(y, P) }
}

export function add(a: Point, b: Point): Point {
  const product = D * a.x * b.x * a.y * b.y
  return {
    x: mod((a.x * b.y + a.y * b.x) * inverse(1n + product, P), P),
    y: mod((a.y * b.y + a.x * b.x) * inverse(1n - product, P), P),
  }
}

export function multiply(point: Point, factor: bigint): Point {
  let [sum, doubled] = [NEUTRAL, point]
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, doubled)
    doubled = add(doubled, doubled)
  }
  return sum
}

/**
 * All points whose order divides 8: whatever point is multiplied by the order of the base point,
 * only its part of small order is left.
 */
export function smallOrderPoints(): Point[] {
  for (let y = 2n; ; y++) {
    const torsion = multiply(findPoint(y) ?? NEUTRAL, GROUP_ORDER)
    const points = Array.from({ length: 8 }, (_, n) => multiply(torsion, BigInt(n)))
    if (new Set(points.map((point) => `${point.x},${point.y}`)).size === 8) return points
  }
}
