import type { FileServer } from '../../core/base/file-server.ts'

/**
 * The settings of OpenList, by what a change through this site needs. `free`: it changes looks or
 * speed, so any session of an admin does. `ours`: this site answers it, or sends it nowhere. Any
 * other text says what a thief of a session could do with it: a change needs a fresh session. A
 * setting that is not here needs one too. `test/real/files.test.ts` compares the list with that of
 * a real OpenList.
 */
export const OPENLIST_SETTINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    version: 'ours',
    token: 'ours',
    webauthn_login_enabled: 'ours',
    // Texts, pictures and scripts that pages show as they are.
    site_title: 'stands in pages as it is',
    announcement: 'stands in pages as it is',
    logo: 'a picture of another site, which sees the visitors',
    favicon: 'a picture of another site, which sees the visitors',
    audio_cover: 'a picture of another site, which sees the visitors',
    main_color: 'stands in pages as it is',
    customize_head: 'scripts in every page',
    customize_body: 'scripts in every page',
    filter_readme_scripts: 'off, scripts in files that users upload run in pages',
    readme_autorender: 'shows what users upload without a click',
    share_summary_content: 'a text that users give others, with their link and password',
    external_previews: 'sends links of files to another site',
    iframe_previews: 'sends links of files to another site',
    ocr_api: 'sends pictures to another site',
    // Reading files without a sign-in.
    sign_all: 'off, OpenList signs no links, and asks for no signature',
    link_expiration: 'links that never end',
    share_force_proxy: 'off, shares show the links of the cloud storage',
    share_preview: 'more ways to read what is shared',
    share_archive_preview: 'more ways to read what is shared',
    forward_direct_link_params: 'passes what stands in a link to the server of a storage',
    ignore_direct_link_params: 'passes the signature of a link to the server of a storage',
    allow_indexed: 'search engines list the site',
    robots_txt: 'search engines list the site',
    // Data of other users and of the storages.
    allow_mounted: 'opens what is mounted below another folder',
    hide_files: 'shows files that are hidden',
    hide_storage_details: 'shows users what is behind a storage',
    hide_storage_details_in_manage_page: 'shows what is behind a storage',
    search_index: 'names of files in an index',
    ignore_paths: 'names of files in an index',
    filename_char_mapping: 'gives files other names, and so other paths',
    // Where credentials and files go.
    proxy_ignore_headers: 'sends credentials to the server of a storage',
    proxy_types: 'files of users pass through another way',
    text_types: 'files of users pass through another way, and open in the editor',
    audio_types: 'opens files in a player',
    video_types: 'opens files in a player',
    image_types: 'opens files as pictures',
    privacy_regs: 'writes addresses and tokens into the log',
    handle_hook_after_writing: 'reads what users write once more',
    handle_hook_rate_limit: 'reads what users write once more',
    ignore_system_files: 'drops files that users upload',
    '123_temp_dir': 'downloads of users go to another folder',
    aria2_uri: 'sends downloads, and the secret, to another server',
    aria2_secret: 'sends downloads, and the secret, to another server',
    qbittorrent_url: 'sends downloads to another server',
    qbittorrent_seedtime: 'gives what was downloaded to others for longer',
    transmission_uri: 'sends downloads to another server',
    transmission_seedtime: 'gives what was downloaded to others for longer',
    // Doors of OpenList with credentials of their own.
    s3_access_key_id: 'another way in',
    s3_secret_access_key: 'another way in',
    s3_buckets: 'another way in',
    ftp_public_host: 'sends users of FTP to another host',
    ftp_pasv_port_map: 'sends users of FTP to another host',
    ftp_mandatory_tls: 'off, passwords go in clear',
    ftp_implicit_tls: 'off, passwords go in clear',
    ftp_tls_private_key_path: 'another file of the machine is the key',
    ftp_tls_public_cert_path: 'another certificate',
    sftp_disable_password_login: 'off, another way in',
    multipart_enabled: 'on, users can open more files than OpenList can hold',
    multipart_chunk_size: 'more of the disk for each upload',
    // Looks and speed.
    ...Object.fromEntries(
      [
        'pagination_type',
        'default_page_size',
        'home_icon',
        'share_icon',
        'home_container',
        'settings_layout',
        'show_disk_usage_in_plain_text',
        'audio_autoplay',
        'video_autoplay',
        'preview_download_by_default',
        'preview_archives_by_default',
        'share_preview_download_by_default',
        'share_preview_archives_by_default',
        'non_efs_zip_encoding',
        'package_download',
        'auto_update_index',
        'max_index_depth',
        'index_progress',
        'offline_download_task_threads_num',
        'offline_download_transfer_task_threads_num',
        'upload_task_threads_num',
        'copy_task_threads_num',
        'move_task_threads_num',
        'decompress_download_task_threads_num',
        'decompress_upload_task_threads_num',
        'max_client_download_speed',
        'max_client_upload_speed',
        'max_server_download_speed',
        'max_server_upload_speed',
      ].map((key) => [key, 'free']),
    ),
  }),
)

/** The settings of lists, search, previews and robots: those here do nothing behind OpenList's. */
export const SET_THERE = [
  'pagination_type',
  'default_page_size',
  'allow_indexed',
  'allow_mounted',
  'robots_txt',
  'home_icon',
  'home_container',
  'settings_layout',
  'external_previews',
  'iframe_previews',
  'audio_cover',
  'audio_autoplay',
  'video_autoplay',
  'hide_files',
  'package_download',
  'ocr_api',
  'filename_char_mapping',
  'forward_direct_link_params',
  'search_index',
  'auto_update_index',
] as const

/** OpenList's attributes of a setting that it does not know: shown to admins only. */
export const UNKNOWN_SETTING = { type: 'string', group: 0, flag: 1 }

/** The settings for single sign-on and LDAP, which are this site's or nobody's. */
export const SSO_GROUP = 7
export const LDAP_GROUP = 8

/** Tells whether another value of a setting needs a fresh session. */
export function isGuardedSetting(key: string): boolean {
  return OPENLIST_SETTINGS.get(key) !== 'free'
}

/**
 * Returns the value of a setting as it is sent to OpenList: with what this site needs of it,
 * whoever saves it, in whatever way.
 */
export function keptValue(files: FileServer, key: string, value: string): string {
  // A database there may compare keys without regard to case.
  const name = key.toLowerCase()
  if (name === 'proxy_ignore_headers') return withCredentials(files, value)
  if (name === 'sign_all' && !files.hasOpenLinks) return 'true'
  return value
}

function withCredentials(files: FileServer, value: string): string {
  const names = value.toLowerCase().split(/[\s,]+/)
  return Array.from(new Set([...names, ...credentialsOf(files)]))
    .filter((name) => name !== '')
    .join(',')
}

/** The headers that prove to OpenList who asks. */
function credentialsOf({ headers }: FileServer): string[] {
  return ['authorization', ...headers.map(([name]) => name.toLowerCase())]
}
