/**
 * The lines of the contract that let us differ from the reference, word for word. There is no other
 * excuse: a difference that none of them covers is a fault, or a line that the contract lacks.
 */
export const justifications = {
  // Preamble
  exactFields:
    '**Specified**: the ten endpoints, their fields and the envelope (sections 1–3). Exact; never widened or renamed.',
  accident:
    'Everything else that the recordings show (Go parser texts, HTML answers, XML bodies, 301s) is its accident, not our contract.',

  // Section 1
  oneEnvelope: '**HTTP 200 always under `/api`**, the outcome in `code`.',
  wrongMethod:
    'That holds for unknown `/api` paths (404), wrong methods (405, with `Allow`), oversized bodies (413), faults (500) and an unavailable database (503) too.',

  // Section 2
  bearer: 'The header value is the bare token; `Bearer <token>` works as well, any case.',
  ping: 'GET `/ping` (and every other method) | none | – | text/plain `pong`',
  nineMembers:
    'User: `id, username, password, base_path, role, disabled, permission, sso_id, otp` – exactly these nine; `password` always `""`',
  wholeList: '`per_page` missing or < 1 means all',

  // Section 3
  ownVersion: 'version (ours)',

  // Section 4
  fourSettingEndpoints: '`/api/admin/setting/{list,get,save,default}`',
  logout: 'GET `/api/auth/logout` (null; ends that token; 200 for a dead token too)',

  // Section 5
  ownText:
    '400 | our own short text naming the field, e.g. `username is required` | missing, empty (`otp_code` may be) or mistyped field, no JSON, wrong JSON type',
  invalidToken:
    'genuine but expired · anything else wrong or revoked · ended by a password change · account disabled',

  // Section 6: the reference | here
  finalRevocation:
    'revoked tokens revive after an admin edit; identity is the user name | revocation is final; identity is the user id',
  noTokenForThem:
    'disabled users and guest/guest get a token; empty passwords exist | refused with the one 401 text; no empty password, no guest login',
  emptyCodeIsFree:
    "lockout per spoofable X-Forwarded-For; every retry extends it; a 402 without a code counts | per account and network from the edge's address (IPv6: /64); retries while blocked extend nothing; an empty code costs nothing",
  ownSecretOnce:
    'client chooses the TOTP secret (8 bits accepted); codes replay; a second enrolment overwrites the first | only the secret this user was last given, for 10 minutes; each code logs in once; generate is refused (400) while 2FA is on',
  oneSoundKey:
    'any key text: RSA-512, DSA, certificates, options, several keys | one sound key: ed25519, ECDSA P-256/384/521, both sk- types, RSA 2048–8192; the reason in the message',
  keyLimits:
    'the same key under many titles; no limits on title, comment, count | one row per user and key; title 1–255 characters, no control characters; 100 keys a user',
  foreignKey: "deleting another's key crashes (HTTP 500) | 404 as for an unknown id",
  duplicateTitle: 'duplicate title = 500 | 409',
  specifiedSettings: '47 settings | the 28 specified',
  onlySmallJson:
    'bodies of any size, XML/YAML/form, query credentials | JSON up to 64 KiB, whatever the content type says; nothing else',
  unknownPath: 'unknown `/api` path: 200 + HTML | 404 envelope',
  guestKeys:
    'guest on the keys endpoints: 401 `user invalid` (throws the stock client off its page) | 403',
  passkeysOff: '403 while switched off ("WebAuthn is not enabled")',
  provenSsoId:
    '`sso_id` in `/me/update` counts only if a callback proved it to this session minutes ago.',
  noStaticToken: 'setting `token` = "" makes everyone admin | no static all-powerful token at all',
} as const

export type Justification = keyof typeof justifications
