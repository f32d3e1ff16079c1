// The pages work without this script. It sends the answer to a program, shows times in the visitor's zone, fills in that zone, scrolls the navigation to the open page, and shows the buttons to copy, to print and to show a password.
const language = document.documentElement.lang
const local = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
for (const time of document.querySelectorAll('time[datetime]')) {
  const text = local.format(new Date(time.dateTime))
  if ('exact' in time.dataset) time.textContent = text
  else time.title = text
}
// `scrollIntoView` would also scroll the page, which a browser may have put back to where it was.
for (const link of document.querySelectorAll('nav [aria-current]')) {
  const list = link.closest('ul')
  list.scrollLeft = link.offsetLeft - list.offsetLeft - (list.clientWidth - link.offsetWidth) / 2
}
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    await navigator.clipboard.writeText(source.dataset.text ?? source.value ?? source.textContent)
    button.textContent = button.dataset.done
  })
}
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => window.print())
}
document.querySelector('form[data-send]')?.submit()
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
for (const field of document.querySelectorAll('[data-zone]')) {
  field.value = timeZone
  document.getElementById(field.dataset.zone).textContent = timeZone
}
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
