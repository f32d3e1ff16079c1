// Completes OpenAPI Explorer on the page `/docs`.
const explorer = document.querySelector('openapi-explorer')
const search = document.querySelector('#endpoints')
const filter = document.querySelector('#filter')

document.querySelector('#site').textContent = location.origin
document.querySelector('#to-endpoints').hidden = false

// Narrow screens don't show the side bar with the search field of OpenAPI Explorer.
search.addEventListener('submit', (event) => event.preventDefault())
filter.addEventListener('input', () => explorer.setAttribute('match-paths', filter.value))

// On narrow screens, OpenAPI Explorer writes the curl line only when a field changes.
explorer.addEventListener('event', () =>
  setTimeout(() => {
    for (const request of explorer.shadowRoot.querySelectorAll('api-request'))
      request.computeCurlSyntax?.()
  }),
)

// The header looks like that of the site. Without the answer, it keeps the name of the program.
const { data } = await fetch('/api/public/settings')
  .then((response) => response.json())
  .catch(() => ({}))
if (data?.site_title) {
  document.querySelector('#title').textContent = data.site_title
  document.title = `${data.site_title}: the interface`
}
// The policy of this page allows pictures of this host alone.
const [logo] = (data?.logo ?? '').split('\n')
if (/^\/(?![/\\])/.test(logo)) document.querySelector('#logo').src = logo
