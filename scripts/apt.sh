# shellcheck shell=bash
# Debian's package tools, for the scripts beside this file: sourced, not run.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# as_root COMMAND...: runs it as root, through sudo where need be.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "this needs root: run it as root, or install sudo and let this user use it"
  fi
}

# apt_root ARGUMENT...: apt-get as root, without questions; waits for another apt-get that holds the lock.
apt_root() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" \
    </dev/null
}

# Fetches the package lists. One source of several that does not answer is no reason to stop.
update_lists() {
  apt_root update >&2 || say "not every package list could be fetched; going on with those that there are"
}

# is_installed PACKAGE
is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}
