# Patroni runs this once, on the first primary, with its address.
set -e
psql "$1" --set ON_ERROR_STOP=1 --set password="$ALMANAC_PASSWORD" <<'SQL'
create role almanac login password :'password';
create database almanac owner almanac encoding 'UTF8' locale 'C.UTF-8' template template0;
SQL
