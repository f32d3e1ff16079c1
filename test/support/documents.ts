import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A document of the repository that people read. */
export interface Document {
  path: string
  text: string
}

/** A command in running text; a name in angle brackets would make it a pattern. */
const INLINE_COMMAND = /`((?:[A-Z_]+=\S+ )?(?:npm|npx|git|sh|curl) [^`<-][^`<]*)`/g

export function readDocuments(): Document[] {
  return ['*.md', 'docs/**/*.md']
    .flatMap((pattern) => globSync(pattern))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

/** Every command that a reader may copy from a document, in its order. */
export function commandsOf({ text }: Document): string[] {
  const prose = text.replaceAll(/^```(\w*)\n(.*?)^```/gms, (_, language: string, code: string) =>
    language === 'sh' ? code.split('\n').map(asInline).join('\n') : '',
  )
  return [...prose.matchAll(/^\0(.+)$|`[^`]+`/gm)].flatMap(([span, line]) => {
    if (line !== undefined) return [line]
    return [...span.matchAll(INLINE_COMMAND)].map(([, command = '']) => command)
  })
}

/** Marks a line of a block, without its comment. */
function asInline(line: string): string {
  const command = line.replace(/(^|\s+)#\s.*$/, '')
  return command === '' ? '' : `\0${command}`
}

/** The session on a terminal that a document shows: what is typed, and what comes back. */
export function terminalSessionOf({ text }: Document): { typed: string[]; printed: string[] } {
  const [, session = ''] = /^```console\n(.*?)^```/ms.exec(text) ?? []
  const lines = session.trimEnd().split('\n')
  return {
    typed: lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)),
    printed: lines.filter((line) => !line.startsWith('$ ')),
  }
}

/** The links of a document to files that do not exist. */
export function deadLinksOf({ path, text }: Document): string[] {
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].flatMap(([, target = '']) => {
    const isElsewhere = /^[a-z]+:/.test(target)
    return isElsewhere || existsSync(join(dirname(path), target)) ? [] : [target]
  })
}

/** The files and folders of this repository that a document names and that do not exist. */
export function deadPathsOf({ text }: Document): string[] {
  return [...text.matchAll(/`((?:src|schema|scripts|test)\/[^`<>\s]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(path))
}

/** The links of a document to headings that do not exist. */
export function deadAnchorsOf({ path, text }: Document): string[] {
  return [...text.matchAll(/\]\(([^)#\s:]*)#([^)]+)\)/g)].flatMap(([, file = '', anchor = '']) => {
    const target = file === '' ? path : join(dirname(path), file)
    if (!existsSync(target)) return []
    return anchorsIn(readFileSync(target, 'utf8')).includes(anchor) ? [] : [`${target}#${anchor}`]
  })
}

/** As GitHub names headings. */
function anchorsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
