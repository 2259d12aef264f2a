#!/bin/sh
# Starts the part of Rein that it is named after: `ros2 run rein node`, `… sim`, `… rein`. Links are not resolved: under
# colcon's --symlink-install they lead out of the installed tree. `exec`, so that signals reach Node itself.
needed=20.20.2
name=${0##*/}
share=$(dirname -- "$0")/../../share/rein

fail() {
  printf 'rein %s: %s\n' "$name" "$1" >&2
  exit 1
}

case $name in
  node) entry=dist/ros/node-main.js ;;
  sim) entry=packages/emulate/dist/ros/sim-main.js ;;
  rein) entry=bin/rein.js ;;
  *) fail "there is no part of this name: node, sim and rein are there." ;;
esac

# A service started at boot has no nvm in its PATH: REIN_NODE names the program.
node=${REIN_NODE:-node}
version=$("$node" --version 2>/dev/null) ||
  fail "Node.js was not found as '$node'. Install Node $needed or newer (https://nodejs.org), or set REIN_NODE to its path."

# v24.0.0-nightly1 -> 24.0.0
release=${version#v}
release=${release%%-*}
case $release in
  *[!0-9.]* | *..* | .* | *. | *.*.*.*) unknown=yes ;;
  *.*.*) unknown=no ;;
  *) unknown=yes ;;
esac
[ $unknown = no ] || fail "'$node --version' says '$version', which is no version of Node.js."

# 20.20.2 -> 20020002
number() {
  echo "$1" | { IFS=. read -r major minor patch && echo $((major * 1000000 + minor * 1000 + patch)); }
}
[ "$(number "$release")" -ge "$(number $needed)" ] ||
  fail "this is Node ${version#v}; Rein needs Node $needed or newer (https://nodejs.org). REIN_NODE may name another one."

[ -f "$share/$entry" ] ||
  fail "$share/$entry is missing. Run npm ci, npm run build and colcon build in Rein's source folder, in this order."

exec "$node" "$share/$entry" "$@"
