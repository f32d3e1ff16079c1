import type { Child } from 'hono/jsx'
import { isSiteAddress } from '../../core/base/web-address.ts'

/** Bounds the search for the end of an element, so that hostile texts take linear time. */
const MAX_SPAN = 1000

/**
 * The elements within a line: an escaped character, code, bold, italic, a link, and a bare address.
 * Each alternative has its own groups.
 */
const ELEMENT = new RegExp(
  [
    String.raw`\\([!-/:-@[-\`{-~])`,
    String.raw`\`([^\`\n]{1,${MAX_SPAN}})\``,
    String.raw`\*\*(?!\s)([^*\n]{1,${MAX_SPAN}})\*\*`,
    String.raw`\*(?!\s)([^*\n]{1,${MAX_SPAN}})\*`,
    String.raw`(?<!\w)_(?!\s)([^_\n]{1,${MAX_SPAN}})_(?!\w)`,
    String.raw`\[([^[\]\n]{1,${MAX_SPAN}})\]\(([^\s()<>]{1,${MAX_SPAN}})\)`,
    String.raw`\b(https?:\/\/[^\s<>"]{1,${MAX_SPAN}}[^\s<>".,:;!?)\]。，；：！？、）])`,
  ].join('|'),
  'g',
)

const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/

/**
 * Renders a strict subset of Markdown: paragraphs with their line ends, headings, lists, bold,
 * italic, code and links. There are no images and no HTML; whatever is not in the subset is shown
 * as it was written. Every text becomes a text node, so nothing can become markup.
 */
export function Markdown({ text }: { text: string }): Child {
  const blocks = text
    .replaceAll('\r\n', '\n')
    .split(/\n[ \t]*\n/)
    .flatMap(splitBlock)
  return <>{blocks.map((block) => renderBlock(block))}</>
}

/** Splits lines without a blank line between them: a heading or a list ends a paragraph. */
function splitBlock(block: string): string[][] {
  const groups: string[][] = []
  let last = ''
  for (const line of block
    .split('\n')
    .map((item) => item.trim())
    .filter((part) => part !== '')) {
    const kind = kindOf(line)
    if (kind === last && kind !== 'heading') groups.at(-1)?.push(line)
    else groups.push([line])
    last = kind
  }
  return groups
}

function kindOf(line: string): 'heading' | 'ol' | 'ul' | 'paragraph' {
  if (/^#{1,6}[ \t]/.test(line)) return 'heading'
  if (!LIST_ITEM.test(line)) return 'paragraph'
  return /^\d/.test(line) ? 'ol' : 'ul'
}

function renderBlock(lines: string[]): Child {
  const [first = ''] = lines
  const kind = kindOf(first)
  // A heading of a text within a page is not a heading of the page.
  if (kind === 'heading') {
    return (
      <p>
        <strong>{renderLine(first.replace(/^#+[ \t]+/, ''))}</strong>
      </p>
    )
  }
  if (kind === 'paragraph') {
    return (
      <p>
        {lines.map((line, place) => (place === 0 ? renderLine(line) : [<br />, renderLine(line)]))}
      </p>
    )
  }
  const items = lines.map((line) => <li>{renderLine(line.replace(LIST_ITEM, ''))}</li>)
  return kind === 'ol' ? <ol>{items}</ol> : <ul>{items}</ul>
}

function renderLine(line: string): Child[] {
  const parts: Child[] = []
  let end = 0
  for (const match of line.matchAll(ELEMENT)) {
    parts.push(line.slice(end, match.index), renderElement(match))
    end = match.index + match[0].length
  }
  return [...parts, line.slice(end)]
}

function renderElement(match: RegExpExecArray): Child {
  const [written, escaped, code, bold, starred, underlined, label, target, address] = match
  if (escaped !== undefined) return escaped
  if (code !== undefined) return <code>{code}</code>
  if (bold !== undefined) return <strong>{renderLine(bold)}</strong>
  const italic = starred ?? underlined
  if (italic !== undefined) return <em>{renderLine(italic)}</em>
  if (address !== undefined) return isTarget(address) ? <a href={address}>{address}</a> : written
  if (label === undefined || target === undefined || !isTarget(target)) return written
  return <a href={target}>{label}</a>
}

function isTarget(target: string): boolean {
  return isSiteAddress(target) || /^mailto:[^\s@?]+@[^\s@?]+$/i.test(target)
}
