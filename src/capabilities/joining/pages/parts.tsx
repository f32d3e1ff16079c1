import { Choices } from '../../../web/kit/rows.tsx'
import type { PageParts } from '../../../web/kit/view.ts'
import { EMAIL_PATH } from './own-email.tsx'

/** The parts of pages of others: the registration, a forgotten password, the own address. */
export const joiningParts: PageParts = {
  signInAside: ({ t, isRegistrationOpen }) =>
    isRegistrationOpen && (
      <p class="aside">
        <a href="/account/register">{t.joining.registerLink}</a>
      </p>
    ),
  lostPassword: ({ t, hasMail }) =>
    hasMail ? <a href="/account/forgotten">{t.joining.forgottenLink}</a> : undefined,
  emailPage: EMAIL_PATH,
  overview: ({ t, hasMail }, address) =>
    hasMail && (
      <Choices
        choices={[
          {
            href: EMAIL_PATH,
            icon: 'mail',
            title: t.joining.ownTitle,
            hint:
              address === undefined
                ? `${t.joining.ownNone}${t.sentenceGap}${t.joining.ownHint}`
                : t.joining.isConfirmed(address),
          },
        ]}
      />
    ),
}
