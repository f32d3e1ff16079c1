#!/bin/sh
# Configures sshd on this machine to ask Latchkey for the keys of users.
set -u
umask 022

HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$HERE/lib.sh"
LIB=/usr/local/lib/latchkey
SSHD_CONF=/etc/ssh/sshd_config.d/latchkey.conf
PAM=/etc/pam.d/sshd
GROUP=sftp-users
KEYS_USER=latchkey-keys
ROOT=/srv/sftp
MIN_UID=1000
NOBODY_UID=65534

# Only for members of the group, and before every other line: the hook runs as root, and lines after pam_env run with
# variables that users set in ~/.pam_environment.
PAM_LINES="session [success=1 default=ignore] pam_succeed_if.so quiet user notingroup $GROUP
session optional pam_exec.so type=open_session seteuid quiet $LIB/used"

usage() {
  cat <<'USAGE'
install.sh --url URL               installs; reads the service token from standard input
install.sh --upgrade               installs again with the present URL and token
install.sh --user NAME [--force]   creates the account NAME, for SFTP only, and its folder;
                                   --force takes an existing account, which then can only use SFTP
install.sh --check                 checks everything; says what is wrong and how to fix it
install.sh --help

Example, on a machine with Debian's openssh-server and curl:
  echo "$TOKEN" | sh install.sh --url https://accounts.example.org
  sh install.sh --user alice
  sh install.sh --check && systemctl reload ssh
USAGE
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

need_root() {
  [ "$(id -u)" = 0 ] || fail 'must run as root'
}

# put MODE OWNER:GROUP TARGET: writes standard input to a file, completely or not at all.
put() {
  new=$(mktemp -- "$3.XXXXXX") || fail "can't write $3"
  if cat >"$new" && chown -- "$2" "$new" && chmod -- "$1" "$new" && mv -f -- "$new" "$3"; then return 0; fi
  rm -f -- "$new"
  fail "can't write $3"
}

make_folder() {
  [ -d "$1" ] || install -d -m 0755 -o root -g root -- "$1" || fail "can't make the folder $1"
}

install_all() {
  need_root
  mend_pam
  url=${1%/}
  is_url "$url" || fail 'the URL must start with https:// and contain only letters, digits and .:/_-'
  for program in sshd curl ssh-keygen useradd; do
    command -v "$program" >/dev/null || fail "$program is missing: apt-get install openssh-server curl"
  done
  [ -f "$PAM" ] || fail "$PAM is missing: apt-get install openssh-server"
  IFS= read -r token || [ -n "${token:-}" ] || fail 'give the service token on standard input'
  is_token "$token" || fail 'the text on standard input is not a service token'

  getent group "$GROUP" >/dev/null || groupadd "$GROUP" || fail "can't make the group $GROUP"
  id "$KEYS_USER" >/dev/null 2>&1 ||
    useradd --system --no-create-home --shell /usr/sbin/nologin "$KEYS_USER" ||
    fail "can't make the account $KEYS_USER"

  for folder in "$LIB" "$ROOT" "$(dirname -- "$CONF")" "$(dirname -- "$SSHD_CONF")"; do make_folder "$folder"; done
  put_pam_lines
  put 0644 root:root "$LIB/lib.sh" <"$HERE/lib.sh" || exit 1
  put 0755 root:root "$LIB/authorized-keys" <"$HERE/authorized-keys" || exit 1
  put 0755 root:root "$LIB/used" <"$HERE/used" || exit 1
  put 0644 root:root "$SSHD_CONF" <"$HERE/latchkey.conf" || exit 1
  printf 'LATCHKEY_URL=%s\nLATCHKEY_TOKEN=%s\n' "$url" "$token" | put 0640 "root:$KEYS_USER" "$CONF" || exit 1
  echo "Installed. Next: sh install.sh --user NAME for each user, then --check, then reload sshd."
}

upgrade() {
  need_root
  mend_pam
  can_upgrade || fail "there is no sound address and token in $CONF: install with --url, and the token on standard input"
  printf '%s\n' "$token" | install_all "$url"
}

# Whether there is what --upgrade needs; if not, only --url helps.
can_upgrade() {
  url=$(setting LATCHKEY_URL 2>/dev/null) && token=$(setting LATCHKEY_TOKEN 2>/dev/null) || return 1
  is_url "$url" && is_token "$token"
}

# First of all, and whatever fails later: an older installation has a line there that lets every user run programs as
# root.
mend_pam() {
  if grep -sqF -e "$LIB/used" "$PAM"; then put_pam_lines; fi
}

# Removes every line that names the hook, and puts ours first.
put_pam_lines() {
  pam=$(readlink -f -- "$PAM") || fail "can't read $PAM"
  others=$(grep -vF -e "$LIB/used" -e "${PAM_LINES%%
*}" "$pam") || fail "can't read $PAM, or it is empty"
  printf '%s\n%s\n' "$PAM_LINES" "$others" | put "$(stat -c %a -- "$pam")" "$(stat -c %U:%G -- "$pam")" "$pam" || exit 1
}

add_user() {
  need_root
  name=$1
  # A number would mean the account with that uid.
  case $name in
  '' | -* | *[!A-Za-z0-9._@-]*) fail 'a name may contain only letters, digits and ._@-, and must not start with -' ;;
  *[!0-9.]*) ;;
  *) fail 'a name must not be a number' ;;
  esac
  getent group "$GROUP" >/dev/null || fail "the group $GROUP is missing: install with --url first"
  if uid=$(id -u -- "$name" 2>/dev/null); then
    [ "$uid" -ge "$MIN_UID" ] && [ "$uid" != "$NOBODY_UID" ] ||
      fail "$name is a system account (uid $uid): choose another name"
    [ "$force" = yes ] || is_member "$name" ||
      fail "the account $name exists already: --force restricts it to SFTP"
  else
    useradd -M -d / -s /bin/sh -p '*' -G "$GROUP" -- "$name" || fail "can't make the account $name"
  fi
  usermod -a -G "$GROUP" -- "$name" || exit 1
  install -d -m 0755 -o root -g root -- "$ROOT/$name" || exit 1
  install -d -m 0700 -o "$name" -g "$(id -gn -- "$name")" -- "$ROOT/$name/files" || exit 1
  echo "$name can sign in with the keys of the user $name at Latchkey, and has the folder files."
}

is_member() {
  id -nG -- "$1" | tr ' ' '\n' | grep -qx -e "$GROUP"
}

bad=0
good() { printf 'ok    %s\n' "$1"; }
wrong() {
  printf 'WRONG %s\n' "$1"
  bad=1
}
# expect WHAT ACTUAL EXPECTED REMEDY
expect() {
  if [ "$2" = "$3" ]; then good "$1"; else wrong "$1: it is \"$2\", it must be \"$3\"; $4"; fi
}

mode_of() { stat -L -c '%U:%G %a' -- "$1" 2>/dev/null || echo missing; }

# Every folder above must belong to root, and only root may write it; otherwise sshd does not run the command.
check_path() {
  part=$1
  while part=$(dirname -- "$part"); do
    owner=$(stat -L -c %u -- "$part") others=$(stat -L -c %A -- "$part" | cut -c 6,9)
    [ "$owner" = 0 ] && [ "$others" = -- ] ||
      { wrong "$part: must belong to root, and only root may write it; chown root:root $part; chmod go-w $part" && return; }
    [ "$part" = / ] && break
  done
  good "every folder above $1 belongs to root, and only root may write it"
}

check_sshd_setting() {
  actual=$(printf '%s\n' "$settings" | sed -n "s/^$1 //p" | head -n 1)
  expect "sshd, for members of $GROUP: $1" "$actual" "$2" "see $SSHD_CONF, and the lines before it in /etc/ssh/sshd_config"
}

# Prints the group's members, also those with the group as their primary group.
members_of() {
  entry=$(getent group "$1") || return 0
  gid=$(printf '%s\n' "$entry" | cut -d : -f 3)
  {
    printf '%s\n' "$entry" | cut -d : -f 4 | tr , '\n'
    getent passwd | awk -F : -v gid="$gid" '$4 == gid { print $1 }'
  } | sort -u | sed '/^$/d'
}

check_pam() {
  reason="any user of this machine can run programs as root"
  lines=$(sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' "$PAM")
  if [ "$(printf '%s\n' "$lines" | head -n 2)" != "$PAM_LINES" ]; then
    case $lines in
    *"$LIB/used"*) wrong "$PAM runs $LIB/used, but not in its first two lines, for members only: $reason; $again" ;;
    *) wrong "$PAM does not report sign-ins: $again" ;;
    esac
  elif [ "$(printf '%s\n' "$lines" | grep -cF -e "$LIB/used")" != 1 ]; then
    wrong "$PAM runs $LIB/used a second time: $reason; $again"
  else
    good "$PAM reports sign-ins, in its first lines"
  fi
  # The auth modules run before the session modules.
  for file in "$PAM" /etc/pam.d/common-auth; do
    if grep -sqE '^[[:space:]]*-?auth[[:space:]].*pam_env\.so.*user_readenv=1' "$file"; then
      wrong "$file lets users set variables before $LIB/used runs: remove user_readenv=1 from its auth line"
    fi
  done
}

# Ends the check when sshd can't start: the checks that follow would fail for the same reason.
check_sshd_starts() {
  if reason=$(sshd -t 2>&1); then
    good 'sshd accepts its configuration'
    return 0
  fi
  case $reason in
  *'privilege separation directory'*) remedy='mkdir -m 0755 /run/sshd, or start ssh (systemctl start ssh), then --check again' ;;
  *) remedy="fix that, then --check again" ;;
  esac
  wrong "sshd -t fails: $(printf '%s\n' "$reason" | tr -d '\r' | head -n 1); $remedy"
  return 1
}

check() {
  need_root
  if can_upgrade; then again='sh install.sh --upgrade'; else again='echo "$TOKEN" | sh install.sh --url URL'; fi
  for program in sshd curl ssh-keygen; do
    if command -v "$program" >/dev/null; then good "$program is installed"; else wrong "$program is missing: apt-get install openssh-server curl"; fi
  done
  for script in authorized-keys used; do
    expect "$LIB/$script" "$(mode_of "$LIB/$script")" 'root:root 755' "$again"
  done
  expect "$LIB/lib.sh" "$(mode_of "$LIB/lib.sh")" 'root:root 644' "$again"
  check_path "$LIB/used"
  if id "$KEYS_USER" >/dev/null 2>&1; then good "the account $KEYS_USER exists"; else wrong "the account $KEYS_USER is missing: install again with --url"; fi
  expect "$CONF" "$(mode_of "$CONF")" "root:$KEYS_USER 640" "chown root:$KEYS_USER $CONF; chmod 640 $CONF"
  readers=$(members_of "$KEYS_USER" | grep -vx -e "$KEYS_USER" | tr '\n' ' ')
  expect "other accounts that may read the token" "${readers% }" '' "gpasswd -d NAME $KEYS_USER"
  check_pam
  check_sshd_starts || return 1

  set -f
  members=$(members_of "$GROUP")
  if [ -z "$members" ]; then
    wrong "the group $GROUP has no members: sh install.sh --user NAME"
  else
    settings=$(sshd -T -C "user=$(printf '%s\n' "$members" | head -n 1),host=localhost,addr=127.0.0.1" 2>/dev/null)
    check_sshd_setting usepam yes
    check_sshd_setting authenticationmethods publickey
    check_sshd_setting authorizedkeysfile none
    check_sshd_setting authorizedkeyscommand "$LIB/authorized-keys %u %f"
    check_sshd_setting authorizedkeyscommanduser "$KEYS_USER"
    check_sshd_setting chrootdirectory "$ROOT/%u"
    check_sshd_setting forcecommand none
    check_sshd_setting disableforwarding yes
    check_sshd_setting permittty no
    if printf '%s\n' "$settings" | grep -q '^subsystem sftp '; then good 'sshd has the sftp subsystem'; else wrong 'sshd has no sftp subsystem: add the line Subsystem sftp internal-sftp to /etc/ssh/sshd_config'; fi
  fi
  for name in $members; do
    expect "$ROOT/$name" "$(mode_of "$ROOT/$name")" 'root:root 755' "chown root:root $ROOT/$name; chmod 755 $ROOT/$name"
    check_path "$ROOT/$name/files"
    case $(getent passwd -- "$name" | cut -d : -f 7) in
    */bash | */zsh) wrong "$name has a shell that reads files the user may write: usermod -s /bin/sh $name" ;;
    *) good "the shell of $name reads no files that the user may write" ;;
    esac
  done

  status=$(ask /api/sftp/authorized_keys --output /dev/null --write-out '%{http_code}' --get --data-urlencode 'username=nobody')
  case $status in
  200) good 'Latchkey answers and accepts the token' ;;
  401) wrong 'Latchkey does not accept the token: create one with "npm run latchkey -- service-token add NAME --scope sftp:keys" and install again' ;;
  *) wrong "Latchkey does not answer (status ${status:-none}): see LATCHKEY_URL in $CONF" ;;
  esac
  return "$bad"
}

wrong_usage() {
  usage >&2
  exit 2
}

force=no
case ${1:-} in
--url) [ $# = 2 ] || wrong_usage && install_all "$2" ;;
--upgrade) [ $# = 1 ] || wrong_usage && upgrade ;;
--user)
  case $#${3:-} in
  2) ;;
  3--force) force=yes ;;
  *) wrong_usage ;;
  esac
  add_user "$2"
  ;;
--check) [ $# = 1 ] || wrong_usage && check ;;
--help | -h) usage ;;
*) wrong_usage ;;
esac
