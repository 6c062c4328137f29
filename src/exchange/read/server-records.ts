import { z } from "zod";
import { summariseBuckets } from "../../servers/history/histories.ts";
import {
  arrange,
  DEFAULT_SORT,
  type Listing,
  orderBy,
  SORTS,
  type Sort,
  type SortKeys,
} from "../../servers/listing.ts";
import { LIVE, loadServerBoard, type Server, STATUSES } from "../../servers/queries.ts";
import { oneOf, searchText, text } from "../../web/request/params.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { type RecordList, readCursor, writeCursor } from "./lists.ts";
import { describedFields, nameFields, type RecordKind, time } from "./record.ts";

const FOUND_AT_MOST = 1_000;
const mark = oneOf(["1"]).optional();

type ListSort = Sort | "id";
/** The last server of a page, as it was sorted. */
type Place = SortKeys & { id: string };

const count = z.int().min(0).nullable();
const { category: _, names: __, ...described } = nameFields;

function serverSchema() {
  return z
    .object({
      kind: z.literal("server"),
      id: z.string(),
      ...described,
      game: z.string().nullable(),
      language: z.string().nullable(),
      address: z.string().nullable(),
      website: z.string().nullable().meta({ description: "The server’s own site." }),
      position: z.int().min(1).meta({ description: "The position in the default order." }),
      status: z.enum(STATUSES).meta({
        description:
          "unknown: not measured yet, or too long ago. `online`, `bots` and `queue` are null then.",
      }),
      online: count,
      bots: count.meta({ description: "Null if the server does not report it." }),
      queue: count.meta({ description: "Null if the server does not report it; 0 if nobody is queuing." }),
      max_online: count,
      checked_at: time.nullable(),
      last_online_at: time.nullable(),
      peak_24h: count,
      average_24h: z.number().nullable(),
      uptime_24h: z.number().min(0).max(1).nullable(),
      url: z.url().meta({ description: "The page of the server." }),
      created_at: time,
      updated_at: time.meta({
        description: "The last change of the server's data; its figures change with each poll.",
      }),
    })
    .meta({ id: "ServerRecord" });
}

/** The servers with their current figures and a summary of the last 24 hours. */
export function serverRecords(): RecordKind<Server> {
  return {
    schema: serverSchema(),
    ...LIVE,
    async find(db, ids) {
      const [only] = ids;
      const { servers } = await loadServerBoard(db, "24h", ids.length === 1 ? only : null);
      const wanted = new Set(ids);
      return servers.filter(({ id }) => wanted.has(id));
    },
    list: serverList(),
    toJson: (server, reader) => {
      const nameless = { ...server, names: {}, category: null };
      const {
        category: _,
        names: __,
        ...texts
      } = describedFields(nameless, reader.site.vocabulary.shared, reader);
      const { peak, average, uptime } = summariseBuckets(server.history);
      return {
        kind: "server",
        id: server.id,
        ...texts,
        game: server.game,
        language: server.language,
        address: server.address,
        website: server.url,
        position: server.position,
        status: server.status,
        online: server.online,
        bots: server.bots,
        queue: server.queue,
        max_online: server.max_online,
        checked_at: server.checked_at?.toISOString() ?? null,
        last_online_at: server.last_online_at?.toISOString() ?? null,
        peak_24h: peak,
        average_24h: average,
        uptime_24h: uptime,
        url: absoluteUrl(reader.site.baseUrl, paths.server(server.id)),
        created_at: server.created_at.toISOString(),
        updated_at: server.updated_at.toISOString(),
      };
    },
  };
}

/** The list of servers, with the filters and sorts of its page. There are few, so that they are sorted here. */
function serverList(): RecordList<Server> {
  return {
    input: {
      q: searchText.optional(),
      game: text(1, 300).optional(),
      language: text(1, 300).optional(),
      not_full: mark,
      not_empty: mark,
      has_queue: mark,
      sort: oneOf([...SORTS, "id"] as const).default(DEFAULT_SORT),
    },
    async read(given, { limit, cursor }, { search, secret, snapshot }) {
      const listing = given as unknown as Omit<Listing, "sort"> & { sort: ListSort };
      const { q, sort } = listing;
      // Before the snapshot: who waits for a search must not hold a connection.
      const found = q ? await search.ids("servers", q, FOUND_AT_MOST) : undefined;
      const { servers } = await loadServerBoard(await snapshot());
      const matching = arrange(servers, { ...listing, sort: DEFAULT_SORT }, { found });
      const list = { secret, kind: "servers", sort };
      const order = sort === "id" ? byId : orderBy(sort, servers);
      const before = readCursor<Place>(list, cursor);
      const after = before && movePlace(before, servers);
      const rest = matching.filter((server) => !after || order(server, after) > 0).sort(order);
      const page = rest.slice(0, limit);
      const last = rest.length > limit ? page.at(-1) : undefined;
      return {
        rows: page,
        total: matching.length,
        next: last && writeCursor(list, readPlace(last, sort)),
      };
    },
  };
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function readPlace(server: Server, sort: ListSort): Place {
  const { id, status, position } = server;
  const column = sort.replace("-", "") as keyof Server;
  return { id, status, position, [column]: server[column] };
}

/** A place with the present position of its server, which changes if others are added or removed. */
function movePlace(place: Place, servers: readonly Server[]): Place {
  const server = servers.find(({ id }) => id === place.id);
  // If the server was removed, the one after it has its position now.
  return { ...place, position: server?.position ?? place.position - 0.5 };
}
