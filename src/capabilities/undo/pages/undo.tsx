import { UNDO_MILLISECONDS } from '../../../core/access/undo-slot.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, FormButtons } from '../../../web/kit/fields.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import { CardPage } from '../../../web/kit/frames.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import { UNDO_PATH } from './parts.tsx'

interface UndoPageProps {
  view: View
  id: string
  item: { name: string; deletedAt: number }
  /** The page on which it was deleted. */
  back: string
  problem?: Problem | undefined
}

/** Asks for what makes the session fresh, and brings a deleted thing back. */
export function UndoPage({ view, id, item: { name, deletedAt }, back, problem }: UndoPageProps) {
  const t = view.t.undo
  return (
    <CardPage view={view} icon="activity" tone="amber" title={t.title} lead={t.lead(name)}>
      <form method="post" action={`${UNDO_PATH}/bring-back`}>
        <Alert problem={problem} fields={CONFIRM_FIELDS} />
        <input type="hidden" name="id" value={id} />
        <p class="hint">
          {t.stays} <Time view={view} at={deletedAt + UNDO_MILLISECONDS} phrase={t.ends} />
        </p>
        <ConfirmFields view={view} form="undo" problem={problem} />
        <FormButtons view={view} submit={t.submit} back={back} />
      </form>
    </CardPage>
  )
}
