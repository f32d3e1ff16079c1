import { LANGUAGE_TAGS } from './language.ts'
import type { View } from './view.ts'

/** @param code ISO 3166-1 alpha-2, or a code of the platform such as `T1` (Tor). */
function countryName({ language }: View, code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  return new Intl.DisplayNames(LANGUAGE_TAGS[language], { type: 'region' }).of(code) ?? code
}

/** A network with its country, where that is known: “203.0.113.9 (Germany)”. */
export function placeName(view: View, network: string, country: string): string {
  return country === '' ? network : view.t.place(network, countryName(view, country))
}
