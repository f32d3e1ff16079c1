/** A `$`, and what Go's `Regexp.Expand` takes for the name of a group after it. */
const GROUP = /\$(?:\$|\{(?<braced>[\p{L}\p{Nd}_]+)\}|(?<bare>[\p{L}\p{Nd}_]+))/gu
const NUMBER = /^[1-9]\d*$/

/**
 * Changes the two texts of `fs/regex_rename` so that OpenList refuses a name with a slash or a
 * backslash, and renames all others as it was asked. It joins the name of each file that it lists
 * to the folder, and takes backslashes for slashes: `..\closed` would be the folder beside.
 *
 * The first choice of the expression is then such a name as a whole, in a group before all others,
 * which the new name begins with; OpenList refuses a new name with a slash or a backslash
 * (`checkRelativePath`). Go takes the first choice that fits at the first place that fits.
 */
export function sparingPaths<Body extends { src_name_regex: string; new_name_regex: string }>(
  body: Body,
): Body {
  return {
    ...body,
    src_name_regex: String.raw`(^[^\\/]*[\\/][\s\S]*$)|` + body.src_name_regex,
    new_name_regex: '${1}' + body.new_name_regex.replaceAll(GROUP, oneFurther),
  }
}

function oneFurther(found: string, braced: string | undefined, bare: string | undefined): string {
  const group = braced ?? bare
  return group !== undefined && NUMBER.test(group) ? `\${${Number(group) + 1}}` : found
}
