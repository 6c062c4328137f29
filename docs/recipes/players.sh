#!/bin/sh
# Prints the servers with their players:
#     ALMANAC_URL=https://… ALMANAC_KEY=alm_… sh players.sh
# It requests only what is new: players.json keeps the response, with its ETag beside it.
set -eu
curl --silent --show-error --fail --compressed \
  --header "X-API-Key: $ALMANAC_KEY" \
  --etag-compare players.etag --etag-save players.etag --output players.json \
  "$ALMANAC_URL/api/online"
cat players.json
