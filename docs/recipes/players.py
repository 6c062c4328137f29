"""Prints the servers with their players: ALMANAC_URL=https://... ALMANAC_KEY=alm_... python3 players.py

Only the standard library. A refusal says why (RFC 9457); one for too many requests, or because the site is busy, says
how long to wait.
"""

import json
import os
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def get(path, tries=5):
    """The JSON of an operation; waits as long as the site asks for."""
    request = Request(os.environ["ALMANAC_URL"] + path, headers={"X-API-Key": os.environ["ALMANAC_KEY"]})
    try:
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except HTTPError as error:
        if error.code not in (429, 503) or tries == 1:
            raise SystemExit(f"{error.code}: {json.load(error)['detail']}")
        time.sleep(int(error.headers.get("Retry-After", "5")))
        return get(path, tries - 1)


for server in get("/api/online")["servers"]:
    players = "unknown" if server["online"] is None else server["online"]
    print(server["server_id"], server["status"], players, sep="\t")
