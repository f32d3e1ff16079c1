/** The look of a file server's pages, which those of the account share. */
export const SHARED_LOOK = ['site_title', 'logo', 'favicon', 'main_color', 'announcement'] as const

/** Settings of the site that another server has. */
export interface SettingsElsewhere {
  /** Those that it has alone: they are set there. */
  alone: readonly string[]
  /** Those that are the same at both places. */
  shared: readonly string[]
  /**
   * Asks for what is there, before anything is written.
   *
   * @returns Writes values there, all or none of them.
   * @throws {Refusal} `filesNotSetUp`, `filesUnavailable`, `filesBroken`; so does the writing.
   */
  prepareSaving: () => Promise<(values: Readonly<Record<string, string>>) => Promise<void>>
}
