// The pages work without this script. It shows times in the visitor's zone, and the buttons to copy and to print.
const language = document.documentElement.lang
const local = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
for (const time of document.querySelectorAll('time[datetime]')) {
  const text = local.format(new Date(time.dateTime))
  if ('exact' in time.dataset) time.textContent = text
  else time.title = text
}
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value)
    button.textContent = button.dataset.done
  })
}
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => window.print())
}
