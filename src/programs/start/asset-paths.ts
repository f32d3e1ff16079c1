import { readdirSync } from 'node:fs'

/**
 * Lists the paths at which files that browsers load may answer: those of the files, and of pages
 * without their ending.
 *
 * @param folder Where the files lie, none in a folder of its own.
 */
export function listAssetPaths(folder: string): ReadonlySet<string> {
  const paths = readdirSync(folder).flatMap((name) => {
    const page = name.replace(/\.html$/, '')
    return page === name ? [`/${name}`] : [`/${name}`, `/${page}`, `/${page}/`]
  })
  return new Set(paths)
}

/** Tells whether a target of a request may lead to a file. A path is decoded as Cloudflare does. */
export function isAssetTarget(target: string, paths: ReadonlySet<string>): boolean {
  const [path = ''] = target.split('?')
  try {
    return paths.has(decodeURIComponent(path))
  } catch {
    return false
  }
}
