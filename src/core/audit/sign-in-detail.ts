interface SignInDetail {
  /** The identity provider, as `sso_login_platform` names it. */
  provider?: string | undefined
  methods: readonly string[]
}

/** Returns the detail of a sign-in: the methods, after the provider, as in `Github: sso otp`. */
export function signInDetail({ provider, methods }: SignInDetail): string {
  return [...(provider === undefined ? [] : [`${provider}:`]), ...methods].join(' ')
}

/** Reads what {@link signInDetail} wrote. */
export function readSignInDetail(detail: string): SignInDetail {
  const words = detail.split(' ').filter((word) => word !== '')
  const [first = '', ...methods] = words
  return first.endsWith(':') ? { provider: first.slice(0, -1), methods } : { methods: words }
}
