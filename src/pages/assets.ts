// Made by `npm run assets` from src/pages/sources; change it there.
export const LOGO =
  "/logo-3b7dd54e5c.svg"
export const ICONS =
  "/icons-19ef9a3c16.svg"
export const SCRIPT =
  "/script-fe170ae452.js"
export const PASSKEY_SCRIPT =
  "/passkeys-f9524ac19e.js"
export const SSO_SCRIPT =
  "// Gives the outcome of a sign-in to the page that opened this window, if that page is of this site, and closes the window. It has no values of its own: the page keeps them in an attribute.\nconst { dataset } = document.querySelector('[data-message]')\nif (window.opener) {\n  window.opener.postMessage(JSON.parse(dataset.message), window.location.origin)\n  window.close()\n} else {\n  document.getElementById('no-opener').hidden = false\n}\n"
export const SSO_SCRIPT_HASH =
  "sha256-9jZmsPKrkZZRJs8cA4CD4AuIZ18e3hKn8wBPrDgAF+0="
export const STYLE_SHEET =
  "/style-bed432750e.css"
