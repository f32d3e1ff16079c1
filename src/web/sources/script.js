// The pages work without this script. It sends the answer to a program, shows times in the visitor's zone, fills in that zone, reads the file of a key, closes questions on Escape, leads to the search on a slash, and shows the buttons to copy, to print and to show a password, counts down, asks before changes are lost, adds rows to tables, checks all boxes, and loads the page again once another user has signed in.
const language = document.documentElement.lang
const local = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' })
for (const time of document.querySelectorAll('time[datetime]')) {
  const text = local.format(new Date(time.dateTime))
  const { exact } = time.dataset
  if (exact === 'clock') time.textContent = clock.format(new Date(time.dateTime))
  else if (exact === '') time.textContent = text
  else time.title = text
}
// The days of the visitor's zone, which the server does not know.
const midnight = (at) => new Date(at).setHours(0, 0, 0, 0)
const date = new Intl.DateTimeFormat(language, { dateStyle: 'full' })
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
for (const days of document.querySelectorAll('[data-days]')) {
  const heading = days.querySelector('.day').cloneNode(true)
  for (const day of days.querySelectorAll('.day')) day.remove()
  let last
  for (const row of days.querySelectorAll('li')) {
    const at = midnight(row.querySelector('time').dateTime)
    if (at === last) continue
    last = at
    const age = Math.round((midnight(Date.now()) - at) / 86_400_000)
    const word = age < 2 ? relative.format(-age, 'day') : date.format(at)
    const day = heading.cloneNode(true)
    day.firstElementChild.textContent = word.charAt(0).toUpperCase() + word.slice(1)
    row.before(day)
  }
}
// A slash leads to the search of the page.
document.addEventListener('keydown', (event) => {
  const search = document.querySelector('main [type="search"]')
  if (event.key !== '/' || !search || event.target.closest('input, textarea, select')) return
  event.preventDefault()
  search.focus()
})
// Escape closes what was opened to be confirmed, and the focus goes back to its button.
document.addEventListener('keydown', (event) => {
  const open =
    event.key === 'Escape' && event.target.closest?.(':is(.confirm, .menu, .open-pages)[open]')
  if (!open) return
  open.open = false
  open.querySelector('summary').focus()
})
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    await navigator.clipboard.writeText(source.dataset.text ?? source.value ?? source.textContent)
    button.textContent = button.dataset.done
  })
}
// A browser asks before it leaves what was changed and not saved.
for (const form of document.querySelectorAll('form[data-keep]')) {
  const valuesOf = () => new URLSearchParams(new FormData(form)).toString()
  const before = valuesOf()
  let isSent = false
  form.addEventListener('submit', () => (isSent = true))
  addEventListener('beforeunload', (event) => {
    if (!isSent && valuesOf() !== before) event.preventDefault()
  })
}
// Rows of a table: a new one is like the spare one at the end, which only those without a script see.
for (const button of document.querySelectorAll('[data-add]')) {
  const rows = document.getElementById(button.dataset.add)
  let count = rows.children.length
  button.addEventListener('click', () => {
    const row = rows.lastElementChild.cloneNode(true)
    row.className = ''
    for (const input of row.querySelectorAll('input')) {
      input.id = input.name = input.name.replace(/\d+/, count)
      input.value = ''
    }
    count++
    rows.append(row)
    row.querySelector('input').focus()
  })
  rows.addEventListener('click', ({ target }) => {
    const row = target.closest('[data-remove]')?.closest('li')
    if (!row) return
    row.remove()
    button.focus()
  })
}
for (const image of document.querySelectorAll('[data-preview]')) {
  const field = document.getElementById(image.dataset.preview)
  field.addEventListener('change', () => {
    const lines = field.value.split('\n')
    const address = (lines[image.dataset.line] ?? lines[0]).trim()
    if (/^\/[^/\\]/.test(address)) image.src = address
  })
}
// Checks or clears every box of a form.
for (const all of document.querySelectorAll('[data-all]')) {
  all.hidden = false
  all.addEventListener('change', ({ target }) => {
    for (const box of document.querySelectorAll(`[form="${all.dataset.all}"]`))
      box.checked = target.checked
  })
}
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => window.print())
}
// A private key must not get into the page.
for (const button of document.querySelectorAll('[data-file]')) {
  const field = document.getElementById(button.dataset.file)
  const problem = document.getElementById(`${field.id}-private`)
  button.hidden = false
  button.addEventListener('click', () => {
    const input = document.createElement('input')
    input.type = 'file'
    input.accept = '.pub,.pem,.txt'
    input.addEventListener('change', async () => {
      const text = await input.files[0].slice(0, 20_000).text()
      problem.hidden = !text.includes('PRIVATE KEY')
      field.value = problem.hidden ? text.trim() : ''
      field.focus()
    })
    input.click()
  })
}
// Counts down to the time when the sign-in works again; the answer leads there by itself.
for (const left of document.querySelectorAll('[data-left]')) {
  const end = Date.now() + left.dataset.left * 1000
  const count = () => {
    const seconds = Math.max(Math.ceil((end - Date.now()) / 1000), 1)
    const [number, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
    // In Chinese, a space stands behind a number, as in the texts of the server.
    const time = relative.format(number, unit).replace(/\d(?=\p{Script=Han})/u, '$& ')
    left.textContent = left.dataset.phrase.replace('#', time)
  }
  setInterval(count, 1000)
}
// Another tab has signed in or out: a page of one user does nothing as another. The cookie is there with a file server only.
const hint = new RegExp(`(?:^|; )${location.protocol === 'https:' ? '__Host-user' : 'user'}=(\\d+)`)
const user = () => hint.exec(document.cookie)?.[1]
const shown = user()
const check = (event) => {
  if (shown === undefined || user() === shown) return
  event.preventDefault()
  event.stopImmediatePropagation()
  location.replace(location.pathname + location.search)
}
for (const kind of ['submit', 'focus', 'pageshow', 'visibilitychange'])
  addEventListener(kind, check, true)
document.querySelector('form[data-send]')?.submit()
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
for (const field of document.querySelectorAll('[data-zone]')) {
  field.value = timeZone
  document.getElementById(field.dataset.zone).textContent = timeZone
}
for (const repeat of document.querySelectorAll('[data-repeat=""]')) repeat.remove()
for (const button of document.querySelectorAll('[data-reveal]')) {
  const field = document.getElementById(button.dataset.reveal)
  const { textContent: show, dataset } = button
  const reveal = (isShown) => {
    field.type = isShown ? 'text' : 'password'
    button.textContent = isShown ? dataset.hide : show
  }
  button.hidden = false
  button.addEventListener('click', () => {
    reveal(field.type === 'password')
    field.focus()
  })
  // Browsers offer to save what was a password field when the form was sent.
  field.form.addEventListener('submit', () => reveal(false))
}
