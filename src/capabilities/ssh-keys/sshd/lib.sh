# Shared by authorized-keys, used and install.sh. This file is sourced; it defines variables and functions only.
CONF=/etc/latchkey/sftp.conf
LC_ALL=C
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH

# setting NAME: prints the value from the configuration. The file is data: nothing in it is executed.
setting() {
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    "$1="*)
      printf '%s\n' "${line#*=}"
      return 0
      ;;
    esac
  done <"$CONF"
  return 1
}

is_url() {
  case $1 in
  *[!A-Za-z0-9.:/_-]*) return 1 ;;
  https://?* | http://127.0.0.1:* | http://localhost:*) return 0 ;;
  esac
  return 1
}

is_token() {
  case $1 in
  '' | *[!A-Za-z0-9_-]*) return 1 ;;
  esac
}

# ask PATH [ARGUMENT OF CURL]...: asks Latchkey, and fails with the status of curl, or 3 without a valid configuration.

# The token is passed on standard input, because every user can read the arguments of a process. With -q and --noproxy,
# no file and no variable of a user can redirect the request.
ask() {
  url=$(setting LATCHKEY_URL) && token=$(setting LATCHKEY_TOKEN) || return 3
  is_url "$url" && is_token "$token" || return 3
  path=$1
  shift
  printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl -q --config - --silent --max-time 3 --noproxy '*' --proto '=http,https' "$@" "$url$path"
}
