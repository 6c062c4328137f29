#!/bin/sh
# Prints the servers with their players: ALMANAC_URL=https://… ALMANAC_KEY=alm_… sh players.sh
# Asks only for what is new: the answer is kept in players.json, and its ETag beside it.
set -eu
curl --silent --show-error --fail --compressed \
  --header "X-API-Key: $ALMANAC_KEY" \
  --etag-compare players.etag --etag-save players.etag --output players.json \
  "$ALMANAC_URL/api/online"
cat players.json
