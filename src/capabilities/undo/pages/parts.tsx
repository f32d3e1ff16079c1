import type { PageParts } from '../../../web/kit/view.ts'

export const UNDO_PATH = '/account/undo'

export const undoParts: PageParts = {
  // One press while the session is fresh; the page asks for the password else.
  undo: ({ view, id }) =>
    view.isFresh ? (
      <form method="post" action={`${UNDO_PATH}/bring-back`}>
        <input type="hidden" name="id" value={id} />
        <button class="secondary">{view.t.undo.undo}</button>
      </form>
    ) : (
      <a role="button" class="secondary" href={`${UNDO_PATH}?id=${id}`}>
        {view.t.undo.undo}
      </a>
    ),
}
