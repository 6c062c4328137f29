#!/bin/sh
# newsboat stores one item for each GUID of any feed: the GUID is the only key of its table. If a site offers entries as RSS
# and as Atom with the same GUIDs, the feed that is loaded last takes all items, and the other stays empty.
#
# Seen on 28 November 2026:
#   newsboat 2.21: a.rss: 0, b.atom: 2
set -eu
work=$(mktemp -d)
trap 'kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT
server=
cd "$work"
apt-get download -qq newsboat=2.21-1.5 libstfl0 libjson-c5 > /dev/null 2>&1
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH="$work/root/usr/lib/$(uname -m)-linux-gnu"
mkdir www home
cat > www/a.rss <<'END'
<?xml version="1.0"?>
<rss version="2.0"><channel><title>As RSS</title><link>http://localhost/</link><description>Items</description>
<item><title>One</title><link>http://localhost/1</link><guid isPermaLink="false">tag:localhost,2026:1</guid></item>
<item><title>Two</title><link>http://localhost/2</link><guid isPermaLink="false">tag:localhost,2026:2</guid></item>
</channel></rss>
END
cat > www/b.atom <<'END'
<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:localhost,2026:feed</id><title>As Atom</title><updated>2026-01-02T00:00:00Z</updated>
<entry><id>tag:localhost,2026:1</id><title>One</title><link href="http://localhost/1"/><updated>2026-01-01T00:00:00Z</updated></entry>
<entry><id>tag:localhost,2026:2</id><title>Two</title><link href="http://localhost/2"/><updated>2026-01-02T00:00:00Z</updated></entry>
</feed>
END
python3 -u -m http.server --bind 127.0.0.1 --directory www 0 > port 2> /dev/null & server=$!
until grep -q port port; do sleep 0.1; done
site="http://127.0.0.1:$(sed 's/.* port \([0-9]*\).*/\1/' port)"
printf '%s/a.rss\n%s/b.atom\n' "$site" "$site" > urls
HOME="$work/home" root/usr/bin/newsboat -u urls -c cache.db -C /dev/null -x reload
python3 - <<'END' | tee seen
import sqlite3
counts = dict(sqlite3.connect("cache.db").execute("select feedurl, count(*) from rss_item group by feedurl"))
print("newsboat 2.21:", ", ".join(f"{name}: {sum(n for url, n in counts.items() if url.endswith(name))}" for name in ("a.rss", "b.atom")))
END
printf 'newsboat 2.21: a.rss: 0, b.atom: 2\n' | cmp - seen
