import type { View } from '../../../../web/kit/view.ts'
import type { SettingKey } from '../../defaults.ts'
import { toHex } from '../colour.ts'
import { isLocalImage, localImage, logosIn } from '../site-facts.ts'
import { shadesOf } from '../theme.ts'

interface PreviewProps {
  view: View
  of: SettingKey
  value: string
}

/** Shows what a setting looks like on the pages of the account; nothing for most settings. */
export function Preview({ view, of: key, value }: PreviewProps) {
  if (key === 'logo') return <LogoPreview view={view} value={value} />
  if (key === 'favicon') return <IconPreview view={view} value={value} />
  if (key === 'main_color') return <ColourPreview view={view} value={value} />
  return <></>
}

type ValueProps = Pick<PreviewProps, 'view' | 'value'>

function LogoPreview({ view, value }: ValueProps) {
  const [light = '', dark = light] = logosIn(value)
  const isElsewhere = [light, dark].some((address) => address !== '' && !isLocalImage(address))
  return (
    <>
      <div class="previews" aria-hidden="true">
        <span class="preview light">
          <Picture address={localImage(light)} of="logo" line={0} />
        </span>
        <span class="preview dark">
          <Picture address={localImage(dark)} of="logo" line={1} />
        </span>
      </div>
      {isElsewhere && <p class="hint">{view.t.adminSettings.logoElsewhere}</p>}
    </>
  )
}

function IconPreview({ view, value }: ValueProps) {
  if (!isLocalImage(value)) return <p class="hint">{view.t.adminSettings.iconElsewhere}</p>
  return (
    <div class="previews" aria-hidden="true">
      <span class="preview tab">
        <Picture address={localImage(value)} of="favicon" line={0} />
        {view.site.title}
      </span>
    </div>
  )
}

interface PictureProps {
  address: string
  /** The field with the address; the script follows what is typed there. */
  of: SettingKey
  line: number
}

/** With an empty text, browsers show nothing in place of a picture that they can't load. */
function Picture({ address, of: key, line }: PictureProps) {
  return <img src={address} alt="" data-preview={key} data-line={line} />
}

/** A button and a link in both shades. A page may have no styles of its own, so it is drawn. */
function ColourPreview({ view, value }: ValueProps) {
  const { onLight, onDark } = shadesOf(value)
  const t = view.t.adminSettings
  return (
    <div class="previews" aria-hidden="true">
      {[
        { ground: 'light', link: onLight },
        { ground: 'dark', link: onDark },
      ].map(({ ground, link }) => (
        <svg class={`preview ${ground}`} viewBox="0 0 176 44">
          <rect x="8" y="7" width="76" height="30" rx="7" fill={toHex(onLight)} />
          <text x="46" y="27" text-anchor="middle" fill="#fff">
            {t.save}
          </text>
          <text x="100" y="27" fill={toHex(link)}>
            {t.sampleLink}
          </text>
        </svg>
      ))}
    </div>
  )
}
