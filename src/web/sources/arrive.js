// Takes the code out of the address, and exchanges it for the session of this browser.
{
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? ''
  history.replaceState(null, '', location.pathname)
  const arrive = async () => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ code })
    const answer = await fetch(location.pathname, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(answer.statusText)
    const { next } = await answer.json()
    location.replace(next)
  }
  arrive().catch(() => {
    document.querySelector('main').hidden = false
  })
}
