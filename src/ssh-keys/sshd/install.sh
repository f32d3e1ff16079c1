#!/bin/sh
# Makes sshd on this machine ask Latchkey for its users' keys.
set -u

LIB=/usr/local/lib/latchkey
CONF=/etc/latchkey/sftp.conf
SSHD_CONF=/etc/ssh/sshd_config.d/latchkey.conf
PAM=/etc/pam.d/sshd
PAM_LINE="session optional pam_exec.so type=open_session seteuid quiet $LIB/used"
GROUP=sftp-users
KEYS_USER=latchkey-keys
ROOT=/srv/sftp
HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

usage() {
  cat <<'USAGE'
install.sh --url URL     installs; reads the service token from standard input
install.sh --user NAME   gives NAME an account that may do nothing but SFTP, and a folder
install.sh --check       looks at every condition, says what is wrong and how to mend it
install.sh --help

Example, on a machine with Debian's openssh-server and curl:
  echo "$TOKEN" | sh install.sh --url https://accounts.example.org
  sh install.sh --user alice
  sh install.sh --check && systemctl reload ssh
USAGE
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

need_root() {
  [ "$(id -u)" = 0 ] || fail 'must run as root'
}

install_all() {
  need_root
  url=${1%/}
  case $url in
  https://?* | http://127.0.0.1:* | http://localhost:*) ;;
  *) fail "the address must begin with https://, not \"$url\"" ;;
  esac
  for program in sshd curl ssh-keygen useradd; do
    command -v "$program" >/dev/null || fail "$program is missing: apt-get install openssh-server curl"
  done
  IFS= read -r token || [ -n "${token:-}" ] || fail 'give the service token on standard input'
  case $token in
  '' | *[!A-Za-z0-9_-]*) fail 'what came on standard input is no service token' ;;
  esac

  getent group "$GROUP" >/dev/null || groupadd "$GROUP" || fail "can't make the group $GROUP"
  id "$KEYS_USER" >/dev/null 2>&1 ||
    useradd --system --no-create-home --shell /usr/sbin/nologin "$KEYS_USER" ||
    fail "can't make the account $KEYS_USER"

  install -d -m 0755 "$LIB" "$ROOT" "$(dirname "$CONF")" "$(dirname "$SSHD_CONF")" || exit 1
  install -m 0755 "$HERE/authorized-keys" "$HERE/used" "$LIB" || exit 1
  install -m 0644 "$HERE/latchkey.conf" "$SSHD_CONF" || exit 1
  (
    umask 077
    printf 'LATCHKEY_URL=%s\nLATCHKEY_TOKEN=%s\n' "$url" "$token" >"$CONF"
  ) || fail "can't write $CONF"
  chown "root:$KEYS_USER" "$CONF" && chmod 0640 "$CONF" || exit 1
  grep -qxF "$PAM_LINE" "$PAM" || printf '%s\n' "$PAM_LINE" >>"$PAM" || fail "can't write $PAM"
  echo "Installed. Next: sh install.sh --user NAME for each user, then --check, then reload sshd."
}

add_user() {
  need_root
  name=$1
  getent group "$GROUP" >/dev/null || fail "there is no group $GROUP: install first, with --url"
  id "$name" >/dev/null 2>&1 ||
    useradd -M -d / -s /bin/sh -p '*' -G "$GROUP" -- "$name" ||
    fail "can't make the account $name"
  usermod -a -G "$GROUP" -- "$name" || exit 1
  install -d -m 0755 -o root -g root "$ROOT/$name" || exit 1
  install -d -m 0700 -o "$name" -g "$(id -gn "$name")" "$ROOT/$name/files" || exit 1
  echo "$name signs in with the keys that the user $name keeps at Latchkey, and finds the folder files."
}

bad=0
good() { echo "ok    $1"; }
wrong() {
  echo "WRONG $1"
  bad=1
}
# expect WHAT ACTUAL EXPECTED REMEDY
expect() {
  if [ "$2" = "$3" ]; then good "$1"; else wrong "$1: it is \"$2\", it must be \"$3\"; $4"; fi
}

mode_of() { stat -L -c '%U:%G %a' "$1" 2>/dev/null || echo missing; }

# Every folder above must be root's, and no one else may write it, or sshd does not run the command.
check_path() {
  part=$1
  while part=$(dirname "$part"); do
    owner=$(stat -L -c %u "$part") others=$(stat -L -c %A "$part" | cut -c 6,9)
    [ "$owner" = 0 ] && [ "$others" = -- ] ||
      { wrong "$part: must belong to root, and only root may write it; chown root:root $part; chmod go-w $part" && return; }
    [ "$part" = / ] && break
  done
  good "every folder above $1 is root's alone"
}

check_sshd_setting() {
  actual=$(printf '%s\n' "$settings" | sed -n "s/^$1 //p" | head -n 1)
  expect "sshd, for members of $GROUP: $1" "$actual" "$2" "see $SSHD_CONF, and what comes before it in /etc/ssh/sshd_config"
}

check() {
  need_root
  for program in sshd curl ssh-keygen; do
    if command -v "$program" >/dev/null; then good "$program is installed"; else wrong "$program is missing: apt-get install openssh-server curl"; fi
  done
  for script in authorized-keys used; do
    expect "$LIB/$script" "$(mode_of "$LIB/$script")" 'root:root 755' 'install again with --url'
  done
  check_path "$LIB/used"
  if id "$KEYS_USER" >/dev/null 2>&1; then good "the account $KEYS_USER exists"; else wrong "the account $KEYS_USER is missing: install again with --url"; fi
  expect "$CONF" "$(mode_of "$CONF")" "root:$KEYS_USER 640" "chown root:$KEYS_USER $CONF; chmod 640 $CONF"
  if grep -qxF "$PAM_LINE" "$PAM"; then good "$PAM reports sign-ins"; else wrong "$PAM does not report sign-ins: add the line $PAM_LINE"; fi

  members=$(getent group "$GROUP" | cut -d : -f 4 | tr , ' ')
  if sshd -t 2>/dev/null; then good 'sshd accepts its configuration'; else wrong "sshd refuses its configuration: $(sshd -t 2>&1 | head -n 1)"; fi
  if [ -z "$members" ]; then
    wrong "nobody is in $GROUP: sh install.sh --user NAME"
  else
    settings=$(sshd -T -C "user=${members%% *},host=localhost,addr=127.0.0.1" 2>/dev/null)
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
    case $(getent passwd "$name" | cut -d : -f 7) in
    */bash | */zsh) wrong "$name has a shell that reads files the user may write: usermod -s /bin/sh $name" ;;
    *) good "the shell of $name reads no files of the user" ;;
    esac
    if id -nG "$name" | tr ' ' '\n' | grep -qx "$KEYS_USER"; then wrong "$name may read the token: gpasswd -d $name $KEYS_USER"; else good "$name may not read the token"; fi
  done

  status=$(
    . "$CONF" 2>/dev/null &&
      printf 'header = "Authorization: Bearer %s"\n' "$LATCHKEY_TOKEN" |
      curl --config - --silent --max-time 3 --output /dev/null --write-out '%{http_code}' --get \
        --data-urlencode 'username=nobody' "$LATCHKEY_URL/api/sftp/authorized_keys"
  )
  case $status in
  200) good 'Latchkey answers, and takes the token' ;;
  401) wrong 'Latchkey does not take the token: make one with "npm run latchkey -- service-token add NAME" and install again' ;;
  *) wrong "Latchkey does not answer (status ${status:-none}): see LATCHKEY_URL in $CONF" ;;
  esac
  return "$bad"
}

case ${1:-} in
--url) [ $# = 2 ] || { usage >&2 && exit 2; } && install_all "$2" ;;
--user) [ $# = 2 ] || { usage >&2 && exit 2; } && add_user "$2" ;;
--check) check ;;
--help | -h) usage ;;
*) usage >&2 && exit 2 ;;
esac
