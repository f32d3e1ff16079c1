#!/bin/bash
# Runs a command in a clone of this project, as a user of a machine that has only what the README names: Node and npm,
# git, and the packages that every Debian has. No fonts, browser, proxy, ssh or curl, an empty cache of npm.
# usage, as root: unshare --mount bash clean-machine.sh FOLDER PROJECT COMMAND
set -euo pipefail
root=$1 project=$2 command=$3

# What is mounted here, nobody else sees, and it goes with this process.
mount --make-rprivate /
mount -t tmpfs -o size=8g,mode=755 tmpfs "$root"
mkdir -p "$root"/{usr/bin,usr/share,etc/systemd/system,proc,dev,tmp,root,run,srv,var/log,home/owner}
chmod 1777 "$root/tmp"

node=$(readlink -f "$(PATH=/usr/local/bin:/usr/bin command -v node)")
npm=$(readlink -f "$(PATH=/usr/local/bin:/usr/bin command -v npm)")
essential=$(dpkg-query -W -f '${Essential} ${Package}\n' | sed -n 's/^yes //p')
# An essential package depends on awk, which one of several packages gives.
for name in $(dpkg -L $essential passwd git | sed -nE 's#^(/usr)?/s?bin/([^/]+)$#\2#p' | sort -u) sh awk mawk; do
  for file in "/usr/bin/$name" "/usr/sbin/$name"; do
    if [ -e "$file" ]; then cp -a "$file" "$root/usr/bin/"; fi
  done
done
cp "$node" "$root/usr/bin/node"
ln -s bin "$root/usr/sbin"
for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
for folder in usr/lib usr/lib64 usr/share/git-core usr/share/ca-certificates "$(dirname "${npm%/bin/*}" | cut -c2-)"; do
  if [ -d "/$folder" ] && ! [ -d "$root/$folder" ]; then
    mkdir -p "$root/$folder"
    mount --bind -o ro "/$folder" "$root/$folder"
  fi
done
ln -sf "$npm" "$root/usr/bin/npm"
cp -a /etc/{ssl,nsswitch.conf,ld.so.cache,alternatives,pam.d,security,login.defs,default} "$root/etc/"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
printf 'root:x:0:0::/root:/bin/bash\nowner:x:1000:1000::/home/owner:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n' >"$root/etc/passwd"
touch "$root"/etc/{shadow,gshadow}
printf 'root:x:0:\nowner:x:1000:\nnogroup:x:65534:\n' >"$root/etc/group"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"

# How this machine reaches the registry of packages is no part of what is tried.
mkdir -p "$root/usr/etc"
echo "registry=$(npm config get registry)" >"$root/usr/etc/npmrc"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp "$NODE_EXTRA_CA_CERTS" "$root/etc/extra-ca.pem"
  echo cafile=/etc/extra-ca.pem >>"$root/usr/etc/npmrc"
fi

git -c safe.directory='*' clone -q --no-hardlinks "$project" "$root/home/owner/latchkey"
chown -R 1000:1000 "$root/home/owner"
if [ "${CLEAN_MACHINE_USER:-owner}" = root ]; then
  exec chroot "$root" env -i PATH=/usr/bin HOME=/root bash -c "$command"
fi
exec chroot "$root" setpriv --reuid 1000 --regid 1000 --clear-groups env -i PATH=/usr/bin HOME=/home/owner \
  sh -c "cd /home/owner/latchkey && $command"
