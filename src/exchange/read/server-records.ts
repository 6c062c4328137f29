import { z } from "zod";
import { summariseBuckets } from "../../servers/history/histories.ts";
import { LIVE, loadServerBoard, type Server, STATUSES } from "../../servers/queries.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { describedFields, nameFields, type RecordKind, time } from "./record.ts";
import { serverList } from "./server-list.ts";

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
