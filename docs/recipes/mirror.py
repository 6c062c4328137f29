"""Keeps a copy of one kind of a site's catalogue in an SQLite file: python3 mirror.py https://example.org items items.db

The key is read from ALMANAC_KEY. Run it as often as you like: without news a run is one small request. The table `records`
has each record as JSON. A run leaves the copy exactly as the site was at one moment, or, if it fails, as it was before.
"""
import gzip, json, os, re, sqlite3, sys, time, urllib.error, urllib.request


def ask(url, etag=None):
    """The answer, be it 200, 304 or 410; waits where the site asks for it."""
    headers = {"X-API-Key": os.environ["ALMANAC_KEY"], **({"If-None-Match": etag} if etag else {})}
    while True:
        try:
            return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60)
        except urllib.error.HTTPError as error:
            if error.code in (304, 410):
                return error
            if error.code not in (429, 503):
                sys.exit(f"{url} answers {error.code}: {error.read().decode()}")
            time.sleep(int(error.headers.get("Retry-After", 10)))


def load(db, site, kind):
    """Replaces the copy by the dump. Returns the address of the changes since."""
    answer = ask(f"{site}/api/{kind}.ndjson.gz")
    db.execute("delete from records")
    with gzip.open(answer, "rt", encoding="utf-8", newline="\n") as lines:
        db.executemany("insert into records values (?, ?)", ((json.loads(line)["id"], line[:-1]) for line in lines))
    return re.search("<(.+?)>", answer.headers["Link"])[1]


def follow(db, url, etag):
    """Applies all changes. Returns where to go on, with the ETag of an answer that had none; None: start again."""
    while (answer := ask(url, etag)).code == 200:
        page = json.load(answer)
        for change in page["changes"]:
            db.execute("delete from records where id = ?", (change["id"],))
            if change["record"] is not None:
                text = json.dumps(change["record"], ensure_ascii=False, separators=(",", ":"))
                db.execute("insert into records values (?, ?)", (change["id"], text))
        last, url = url, f"{url.split('?')[0]}?since={page['next']}&limit=1000"
        if page["complete"]:
            return url, answer.headers["ETag"] if url == last else None
    return (url, etag) if answer.code == 304 else None


def main(site, kind, file):
    db = sqlite3.connect(file, timeout=600, isolation_level=None)
    db.execute("create table if not exists records (id text primary key, record text not null)")
    db.execute("create table if not exists place (url text, etag text)")
    db.execute("begin immediate")  # Until the end: half of the changes is no state that the site ever had.
    place = db.execute("select url, etag from place").fetchone()
    while not (place and (place := follow(db, *place))):
        place = load(db, site.rstrip("/"), kind), None
    db.execute("delete from place")
    db.execute("insert into place values (?, ?)", place)
    db.execute("commit")


main(*sys.argv[1:])
