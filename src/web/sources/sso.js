// Gives the outcome of a sign-in to the page that opened this window, if that page is of this site, and closes the window. It has no values of its own: the page keeps them in an attribute.
const { dataset } = document.querySelector('[data-message]')
if (window.opener) {
  window.opener.postMessage(JSON.parse(dataset.message), window.location.origin)
  window.close()
} else {
  document.getElementById('no-opener').hidden = false
}
