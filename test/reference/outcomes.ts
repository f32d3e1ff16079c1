/** The answers that many recordings share; `reference` and `expect` use the same ones. */
export const success = { code: 200, message: 'success' }

export const requestInvalid = { code: 400, message: 'request invalid' }
export const idFormatInvalid = { code: 400, message: 'id format invalid' }
export const usernameRequired = { code: 400, message: 'username is required' }
export const passwordRequired = { code: 400, message: 'password is required' }
export const codeRequired = { code: 400, message: 'code is required' }
export const secretRequired = { code: 400, message: 'secret is required' }
export const wrongEnrolmentCode = { code: 400, message: 'Invalid 2FA code' }
export const twoFactorAlreadyOn = { code: 400 }
export const keyInvalid = { code: 400, message: 'provided key invalid' }
/** Ours says why. */
export const keyInvalidBecause = { code: 400, messageStart: 'provided key invalid: ' }
/** Of any reason, in words that are nobody's contract. */
export const badRequest = { code: 400 }

/** The words of its validator for members of a body that it requires, such as `LoginReq.Username`. */
export function missing(...members: string[]) {
  const words = members.map(
    (member) =>
      `Key: '${member}' Error:Field validation for '${member.replace(/.*\./, '')}' failed on the 'required' tag`,
  )
  return { code: 400, message: words.join('\n') }
}

/** The words of its parser of JSON, such as `array into Go value of type handles.LoginReq`. */
export function wrongType(what: string) {
  return { code: 400, message: `json: cannot unmarshal ${what}` }
}

export const wrongCredentials = { code: 401, message: 'Invalid username or password' }
export const guestDisabled = { code: 401, message: 'Guest user is disabled, login please' }
export const tokenExpired = { code: 401, message: 'token is expired' }
export const tokenInvalidated = { code: 401, message: 'token is invalidated' }
export const passwordChanged = { code: 401, message: 'Password has been changed, login please' }
export const accountDisabled = { code: 401, message: 'Current user is disabled, replace please' }
export const userInvalid = { code: 401, message: 'user invalid' }

export const wrongCode = { code: 402, message: 'Invalid 2FA code' }

export const guestTwoFactor = { code: 403, message: 'Guest user can not generate 2FA code' }
export const guestProfile = { code: 403, message: 'Guest user can not update profile' }
export const notAdmin = { code: 403, message: 'You are not an admin' }
export const passkeysOff = { code: 403, message: 'WebAuthn is not enabled' }
export const guestKeys = { code: 403, message: 'Guest user can not manage SSH keys' }

export const unknownPath = { code: 404 }
export const userNotFound = { code: 404, message: 'user invalid' }
export const keyNotFound = { code: 404, message: 'failed to get public key' }
export const methodNotAllowed = { code: 405 }
export const keyTaken = { code: 409, message: 'key already exists as "dup"' }
export const titleTaken = { code: 409, message: 'key with the same title already exists' }
export const titleTakenThere = { code: 500, message: titleTaken.message }
export const bodyTooLarge = { code: 413, message: 'request body too large' }
export const tooManyAttempts = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
}

/** The reference's answer to whatever it has no route for: the page of its web client. */
export const htmlPage = { http: 200 }
export const pong = { http: 200, text: 'pong' }
/** An answer to HEAD. */
export const emptyOk = { http: 200, text: '' }
export const noContent = { http: 204, text: '' }
export const redirectToSlashless = { http: 301 }
export const redirectPostToSlashless = { http: 307 }
export const notFoundText = { http: 404, text: 'Not found\n' }
/** The reference's answer to a method it has no route for. */
export const emptyNotAllowed = { http: 405, text: '' }
