# The lines of docs/operate.md, with HAProxy behind.
vcl 4.1;

import std;

backend default {
    .host = "haproxy";
    .port = "80";
    .probe = { .url = "/healthz"; .interval = 1s; .timeout = 1s; .window = 3; .threshold = 2; }
}

sub vcl_recv {
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Responses to logged-in users, keys and readers who have dismissed an announcement are personal. The API reads
    # visitors' sessions as well.
    if (req.http.Cookie ~ "(^|; ?)((__Host-)?almanac\.sid=(?!anonymous\.)|almanac\.dismissed=.)" || req.http.X-API-Key
        || req.url ~ "[?&]api_key=" || req.url ~ "^/(api/|session$)") {
        return (pass);
    }
    # No other cookie changes a page.
    unset req.http.Cookie;
    if (std.healthy(req.backend_hint)) {
        set req.grace = 30s;
    }
    return (hash);
}

sub vcl_backend_response {
    if (beresp.http.Cache-Control ~ "stale-if-error") {
        set beresp.grace = 1d;
    }
    # A failure does not replace the cached page.
    if (beresp.status >= 500 && bereq.is_bgfetch) {
        return (abandon);
    }
}
