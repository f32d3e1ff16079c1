// oxlint-disable unicorn/consistent-function-scoping -- Outside of the block, they would be global.
// Stands first in the pages of OpenList's web client, before its scripts. The session of the browser is in a cookie that no script can read; this one keeps the web client to it.
{
  const { account } = document.currentScript.dataset
  const name = location.protocol === 'https:' ? '__Host-user' : 'user'
  const user = () => new RegExp(`(?:^|; )${name}=(\\d+)`).exec(document.cookie)?.[1] ?? ''
  const loaded = user()
  // What the web client sends in place of a token.
  localStorage.setItem('token', loaded && `cookie.${loaded}`)
  localStorage.removeItem('password')

  // The router compares paths like this. It would show a sign-in page of its own.
  const isSignIn = (url) => {
    const path = url.pathname.split('/').filter(Boolean).join('/')
    return path.localeCompare('@login', undefined, { sensitivity: 'base' }) === 0
  }
  const parse = (url) => (URL.canParse(url, location.href) ? new URL(url, location.href) : location)
  let isLeaving = false
  const leave = (url, way) => {
    isLeaving = true
    document.documentElement.style.display = 'none'
    location[way](url.href)
  }
  for (const [change, way] of [
    ['pushState', 'assign'],
    ['replaceState', 'replace'],
  ]) {
    const original = history[change]
    history[change] = (...values) => {
      if (isLeaving) return
      const url = parse(values[2] ?? '')
      if (isSignIn(url)) leave(url, way)
      else original.apply(history, values)
    }
  }
  // Before the router: it shows the page first, and changes the address then.
  const follow = (event) => {
    const link = event.composedPath().find(({ nodeName }) => nodeName === 'A')
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey)
    if (!link?.href || link.target || !isPlain) return
    const url = parse(link.href)
    if (url.origin !== location.origin || !isSignIn(url)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    leave(url, 'assign')
  }
  addEventListener('click', follow, true)

  // Another tab has signed in or out.
  const check = () => {
    if (!isLeaving && user() !== loaded) location.reload()
  }
  addEventListener('focus', check)
  document.addEventListener('visibilitychange', check)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && isLeaving) location.reload()
    check()
  })

  const isChinese = (localStorage.getItem('lang') ?? navigator.language).startsWith('zh')
  const addLink = () => {
    const manage = document.querySelector('.footer a[href="/@manage"]')
    if (!manage || document.querySelector('.footer a[rel=external]')) return
    const link = manage.cloneNode()
    link.href = account
    link.rel = 'external'
    link.textContent = isChinese ? '账户' : 'Account'
    manage.after(manage.previousElementSibling?.cloneNode(true) ?? ' ', link)
  }
  const changes = { childList: true, subtree: true, attributeFilter: ['href'] }
  new MutationObserver(addLink).observe(document, changes)
}
