import { PASSKEY_SCRIPT } from '../../../.build/assets.ts'
import type { Fields } from './form.ts'
import { Icon } from './icons.tsx'
import type { BegunCeremony, View } from './view.ts'

/** Tells whether a form has the answer of a passkey. */
export function hasAnswer({ passkey_answer: answer = '' }: Fields): boolean {
  return answer !== ''
}

interface PasskeyButtonProps {
  view: View
  ceremony: BegunCeremony
  /** Adds a passkey, or uses one. */
  use: 'create' | 'get'
  label: string
  /** The others stand below it. */
  isPreferred?: boolean
  /** Offers passkeys in the field of the user name as well. */
  isConditional?: boolean
  /** Path of a page that starts the ceremony again, for a page that was open for too long. */
  again?: string
}

/**
 * The fields for a passkey in a form, and the button that asks the browser for one. Only the script
 * shows it (`sources/passkeys.js`), where the browser has passkeys.
 */
export function PasskeyButton(props: PasskeyButtonProps) {
  const { view, ceremony, use, label, isConditional = false, again } = props
  const { isPreferred = false } = props
  return (
    <div
      class="passkey"
      data-passkey={JSON.stringify(ceremony.options)}
      data-use={use}
      data-words={JSON.stringify(view.t.passkeyErrors[use])}
      data-conditional={isConditional ? '' : undefined}
      data-again={again}
      hidden
    >
      <input type="hidden" name="passkey_session" value={ceremony.session} />
      <input type="hidden" name="passkey_answer" />
      <button type="button" class={use === 'get' && !isPreferred ? 'secondary' : undefined}>
        <Icon name="passkeys" />
        {label}
      </button>
      <p class="problem" role="alert" hidden />
      <PasskeyScript />
    </div>
  )
}

/** Browsers run a module once, however often a page names it. */
export function PasskeyScript() {
  return <script type="module" src={PASSKEY_SCRIPT} />
}

/** Says why this page has no passkeys, and the address on this computer that has them. */
export function NoPasskeysHere({ view }: { view: View }) {
  return <p class="hint">{view.t.passkeysNotHere}</p>
}
