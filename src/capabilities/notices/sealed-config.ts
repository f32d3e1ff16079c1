import * as v from 'valibot'
import { openBox, type RandomSource, sealBox } from '../../core/crypto/sealed-box.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { type ChannelConfig, type ChannelKind, configSchema } from './channels.ts'

/** Binds a box to its kind and its owner, so that it opens for no other channel. */
export function channelUse(kind: string, ownerId: number | null): string {
  return `notice channel/${kind}/${ownerId ?? 'operators'}`
}

export function sealConfig(
  deps: RandomSource,
  ring: KeyRing,
  kind: ChannelKind,
  ownerId: number | null,
  config: ChannelConfig,
): Promise<string> {
  const bytes = new Uint8Array(new TextEncoder().encode(JSON.stringify(config)))
  return sealBox(deps, ring, bytes, channelUse(kind, ownerId))
}

/** @throws {Error} As `openBox`. */
export async function openConfig(
  ring: KeyRing,
  kind: ChannelKind,
  ownerId: number | null,
  sealed: string,
): Promise<ChannelConfig> {
  const bytes = await openBox(ring, sealed, channelUse(kind, ownerId), 'a channel for notices')
  return v.parse(configSchema, JSON.parse(new TextDecoder().decode(bytes)))
}
