import { capability, middlewareFor } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  'sign-in': 'the sign-in page of the web client is that of the account',
  settings: 'the settings of a site with a file server are those of both',
}

export const files = capability({
  pages: [
    [
      '/files',
      () => import('./pages/hand-over-routes.ts').then(({ handOverPages }) => handOverPages),
    ],
  ],
  parts: () => import('./pages/parts.tsx').then(({ filesParts }) => filesParts),
  settingsElsewhere: () =>
    import('./settings-there.ts').then(({ settingsThere }) => (deps) => {
      const server = deps.fileServer()
      return server && settingsThere(deps, server)
    }),
  health: () => import('./pages/health.tsx').then(({ checkFileServer }) => checkFileServer),
  middleware: {
    first: middlewareFor(
      (c) => c.get('deps').fileServer() !== undefined,
      async () => {
        const [{ createFileRules }, { faultPage }] = await Promise.all([
          import('./http/gateway.ts'),
          import('./pages/fault-page.ts'),
        ])
        return createFileRules(faultPage)
      },
    ),
    last: middlewareFor(
      (c) => c.get('fileTarget') !== undefined,
      () => import('./http/gateway.ts').then(({ forwardToFiles }) => forwardToFiles),
    ),
  },
  nightly: () => import('./runs.ts').then(({ nightly }) => nightly),
  frequent: () => import('./runs.ts').then(({ frequent }) => frequent),
})
