#!/bin/sh
# Boots systemd on a copy of this machine's files: `scratch-host.sh FOLDER REPOSITORY NODE`, called by scratch-host.ts in
# its own mount, network and process namespaces. Nothing that runs there changes this machine: files go to a temporary
# layer above the root folder, devices are its own, the network has only a loopback, and /sys and /proc/sys are
# read-only.
set -eu
folder=$1 repository=$2 node=$3 stage=${4-cgroup}

# a cgroup of its own, so that two hosts and this machine do not share one
if [ "$stage" = cgroup ]; then
  mkdir "$folder/cgroup"
  mount -t cgroup2 cgroup2 "$folder/cgroup"
  own="$folder/cgroup/$(basename "$folder")"
  mkdir "$own"
  echo 0 > "$own/cgroup.procs"
  umount "$folder/cgroup"
  exec unshare --cgroup sh "$0" "$folder" "$repository" "$node" boot
fi

mkdir "$folder/layer"
mount -t tmpfs -o mode=755 tmpfs "$folder/layer"
mkdir "$folder/layer/above" "$folder/layer/work" "$folder/root"
root=$folder/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/layer/above,workdir=$folder/layer/work" "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null:3 zero:5 full:7 random:8 urandom:9; do
  mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"
done
mknod -m 666 "$root/dev/tty" c 5 0
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for name in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${name%:*}" "$root/dev/${name#*:}"; done
for name in dev/shm tmp var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$name"; done
mount -t tmpfs -o mode=755 tmpfs "$root/run"

# a clone of the repository, and Node.js, at places that every user may enter
mkdir -p "$root/opt/clone" "$folder/layer/clone" "$folder/layer/work-of-clone"
mount -t overlay overlay -o "lowerdir=$repository,upperdir=$folder/layer/clone,workdir=$folder/layer/work-of-clone" \
  "$root/opt/clone"
rm -f "$root/usr/local/bin/node"
touch "$root/usr/local/bin/node"
mount --bind "$node" "$root/usr/local/bin/node"

# nothing of this machine's own services starts
rm -rf "$root"/etc/systemd/system/*.wants
for unit in systemd-udevd systemd-udev-trigger systemd-update-utmp systemd-remount-fs systemd-tmpfiles-setup \
  systemd-tmpfiles-setup-dev systemd-sysusers systemd-binfmt systemd-journal-flush; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
done
echo 'd8f5a5a0c5b14e0c8e5c1d2f3a4b5c6d' > "$root/etc/machine-id"
printf '127.0.0.1 localhost packages.example.org\n' > "$root/etc/hosts"
ip link set lo up
exec env -i container=scratch PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  chroot "$root" /lib/systemd/systemd --system --unit=basic.target --log-target=null --show-status=no
