-- Prints what a search finds: ALMANAC_URL=https://… ALMANAC_KEY=alm_… lua5.4 items.lua halberd
-- Needs LuaSocket and dkjson, for https also LuaSec. Debian: lua5.4 lua-socket lua-dkjson lua-sec; elsewhere:
-- luarocks install luasocket dkjson luasec
local json, ltn12, socket, url = require "dkjson", require "ltn12", require "socket", require "socket.url"

local site = os.getenv "ALMANAC_URL"
local http = require(site:match "^https:" and "ssl.https" or "socket.http")
-- Without these LuaSec would give the key to anybody who pretends to be the site.
local certificates = os.getenv "SSL_CERT_FILE" or "/etc/ssl/certs/ca-certificates.crt"

-- The JSON of an operation; waits as long as the site asks for.
local function get(path, tries)
  local parts = {}
  local ok, status, headers = http.request {
    url = site .. path,
    headers = { ["X-API-Key"] = os.getenv "ALMANAC_KEY" },
    sink = ltn12.sink.table(parts),
    verify = "peer",
    cafile = certificates,
  }
  if not ok then error(status, 0) end
  if (status == 429 or status == 503) and tries > 1 then
    socket.sleep(tonumber(headers["retry-after"]) or 5)
    return get(path, tries - 1)
  end
  local answer = json.decode(table.concat(parts))
  -- A refusal says why (RFC 9457).
  if status ~= 200 then error(status .. ": " .. (answer and answer.detail or ""), 0) end
  return answer
end

local ok, found = pcall(get, "/api/items/search?limit=5&q=" .. url.escape(arg[1]), 5)
if not ok then
  io.stderr:write(found, "\n")
  os.exit(1)
end
for _, item in ipairs(found.results) do
  print(item.name, item.url)
end
