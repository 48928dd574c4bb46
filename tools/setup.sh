# shellcheck shell=sh disable=SC2154
#
# What tools/bench and tools/test do before their own work. Sourced by them; `program` is the name
# to speak under, and `root` the tree.

die() {
  echo "$program: $*" >&2
  exit 2
}

# install_packages USE...: those of tools/packages for these uses that are missing. Asks nothing and
# does nothing when all are there. Of a use that ends in ?, what apt does not know is left out. One
# written PACKAGE|COMMAND is not missing where there is the command, whoever brought it.
install_packages() {
  wanted=
  optional=' '
  for use in "$@"; do
    of_use=
    # shellcheck disable=SC2013  # one word a line
    for package in $(sed -n "s/^${use%\?} //p" "$root/tools/packages"); do
      case $package in *"|"*) ! command -v "${package#*|}" >/dev/null || continue ;; esac
      of_use="$of_use${package%|*} "
    done
    wanted="$wanted $of_use"
    case $use in *\?) optional="$optional$of_use" ;; esac
  done
  if ! command -v dpkg-query >/dev/null; then
    echo "$program: this is no Debian; it needs what Debian 12 calls:$wanted" >&2
    return
  fi
  # shellcheck disable=SC2086  # a list of names
  there=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null ||
    true)
  missing=
  perhaps=
  for package in $wanted; do
    if printf '%s\n' "$there" | grep -qx "installed $package"; then continue; fi
    case $optional in
      *" $package "*) perhaps="$perhaps $package" ;;
      *) missing="$missing $package" ;;
    esac
  done
  # A new machine's apt knows nothing before its first update.
  apt=
  [ -z "$missing" ] || update_lists
  for package in $perhaps; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      missing="$missing $package"
    else
      echo "$program: there is no package $package here; tests that need it are left out"
    fi
  done
  [ -n "$missing" ] || return 0
  [ -n "$apt" ] || update_lists
  echo "$program: installing$missing"
  # shellcheck disable=SC2086
  $apt install --no-install-recommends -y -o Dpkg::Use-Pty=0 $missing >/dev/null ||
    die "apt-get install failed for:$missing"
}

# update_lists: of what can be installed; sets `apt`. Needs root, for what is missing.
update_lists() {
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "packages are missing and there is no sudo; as root:" \
      "apt-get update && apt-get install --no-install-recommends -y$missing"
    as_root=sudo
  fi
  echo "$program: asking for packages"
  apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300"
  $apt update || die "apt-get update failed"
}

# build PRESET TARGET [CMAKE_ARGUMENT...]: builds the preset's target; configures it first when it
# never was, or when arguments are given.
build() {
  preset=$1
  target=$2
  shift 2
  if [ $# -gt 0 ] || [ ! -e "$root/build/$preset/build.ninja" ]; then
    (cd "$root" && cmake --preset "$preset" "$@") || die "cmake --preset $preset failed"
  fi
  (cd "$root" && cmake --build --preset "$preset" --target "$target") ||
    die "cmake --build --preset $preset failed"
}
