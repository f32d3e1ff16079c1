// Passkeys. The pages work without this script: with the password, and with codes.
const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  )
const text = (buffer) =>
  buffer &&
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

// The server accepts an answer for five minutes.
const STALE_MILLISECONDS = 4.5 * 60 * 1000
const NUDGE_MILLISECONDS = 30 * 24 * 60 * 60 * 1000
const loadedAt = Date.now()
const isStale = () => Date.now() - loadedAt > STALE_MILLISECONDS

const ERRORS = {
  NotAllowedError: 'cancelled',
  InvalidStateError: 'exists',
  ConstraintError: 'unusable',
  NotSupportedError: 'unusable',
  SecurityError: 'address',
}

function optionsOf({ dataset }) {
  const options = JSON.parse(dataset.passkey)
  options.challenge = bytes(options.challenge)
  if (options.user) options.user.id = bytes(options.user.id)
  for (const credential of [
    ...(options.allowCredentials ?? []),
    ...(options.excludeCredentials ?? []),
  ])
    credential.id = bytes(credential.id)
  return options
}

// PublicKeyCredential.toJSON is missing in browsers of 2024.
function answerOf({ rawId, type, response }) {
  const id = text(rawId)
  return {
    id,
    rawId: id,
    type,
    response: {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
      userHandle: text(response.userHandle),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports?.(),
    },
  }
}

let conditional

async function ask(block, more = {}) {
  const publicKey = optionsOf(block)
  const credential = await navigator.credentials[block.dataset.use]({ publicKey, ...more })
  const form = block.closest('form')
  block.querySelector('[name=passkey_answer]').value = JSON.stringify(answerOf(credential))
  form.requestSubmit(form.querySelector('button:not([type])'))
}

// Offers passkeys in the field of the user name, until the page is too old or the button is pressed.
async function offer(block) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  conditional = new AbortController()
  const { signal } = conditional
  setTimeout(() => conditional.abort(), STALE_MILLISECONDS - (Date.now() - loadedAt))
  await ask(block, { mediation: 'conditional', signal }).catch(() => {})
}

function say(block, name) {
  const words = JSON.parse(block.dataset.words)
  const problem = block.querySelector('.problem')
  problem.textContent = words[name] ?? words.failed
  problem.hidden = false
}

async function press(block) {
  const { again } = block.dataset
  if (isStale() && again)
    return location.replace(`${again}${again.includes('?') ? '&' : '?'}passkey=`)
  if (isStale()) return say(block, 'stale')
  const form = block.closest('form')
  // A passkey takes the place of the password and the code.
  const proofs = [...form.querySelectorAll('[name^=confirm_]')]
  const needed = proofs.filter((field) => field.required)
  for (const field of needed) field.required = false
  const button = block.querySelector('button')
  if (form.reportValidity()) {
    conditional?.abort()
    block.querySelector('.problem').hidden = true
    button.disabled = true
    try {
      const typed = proofs.map((field) => field.value)
      for (const field of proofs) field.value = ''
      await ask(block).catch((error) => {
        proofs.forEach((field, place) => (field.value = typed[place]))
        throw error
      })
      return
    } catch (error) {
      say(block, ERRORS[error.name])
    }
    button.disabled = false
    if ('conditional' in block.dataset) void offer(block)
  }
  for (const field of needed) field.required = true
}

const blocks = window.PublicKeyCredential ? [...document.querySelectorAll('[data-passkey]')] : []
for (const block of blocks) {
  block.hidden = false
  block.querySelector('button').addEventListener('click', () => press(block))
  const form = block.closest('form')
  // The passkey is the preferred way. A closed field can't be filled in, so Enter means the passkey.
  const another = block.parentElement.querySelector('[data-another]')
  if (another) {
    another.open = false
    form.addEventListener('click', (event) => {
      if (another.open || !event.target.closest('button:not([type])')) return
      event.preventDefault()
      void press(block)
    })
  }
  // The form to add a passkey has no other button: Enter presses this one.
  if (block.dataset.use === 'create')
    form.addEventListener('submit', (event) => {
      if (block.querySelector('[name=passkey_answer]').value !== '') return
      event.preventDefault()
      void press(block)
    })
}
for (const words of document.querySelectorAll('[data-without-passkeys]'))
  words.hidden = Boolean(window.PublicKeyCredential)

const [first] = blocks
const address = new URL(location)
if (first && address.searchParams.has('passkey')) {
  address.searchParams.delete('passkey')
  history.replaceState(null, '', address)
  void press(first)
} else if (first && 'conditional' in first.dataset) {
  void offer(first)
  // Starts again when the user returns to a page that was open for too long.
  document.addEventListener('visibilitychange', () => {
    const fields = [...document.querySelectorAll('input:not([type=hidden])')]
    if (!document.hidden && isStale() && fields.every(({ value }) => value === ''))
      location.replace(first.dataset.again)
  })
}

// The browser can then remove deleted passkeys from its own list.
const accepted = document.querySelector('[data-accepted]')
if (accepted)
  window.PublicKeyCredential?.signalAllAcceptedCredentials?.(
    JSON.parse(accepted.dataset.accepted),
  ).catch(() => {})

const nudge = document.querySelector('[data-nudge]')
if (nudge && window.PublicKeyCredential) {
  const closedAt = Number(localStorage.getItem('passkey-nudge') ?? 0)
  const isDue = Date.now() - closedAt > NUDGE_MILLISECONDS
  if (isDue && (await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable?.()))
    nudge.hidden = false
  nudge.querySelector('button').addEventListener('click', () => {
    localStorage.setItem('passkey-nudge', String(Date.now()))
    nudge.hidden = true
  })
}
