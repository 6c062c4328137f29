import type request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { routePathsOf } from "../helpers/routes.ts";

const site = useTestApp();

/** The callers of a page. The page asks `nobody` to log in and refuses the others. */
type Who = "nobody" | "user" | "editor" | "operator";

const OPERATORS = ["operator"];
/** Editors edit records and nothing else. */
const EDITORS = ["editor", "operator"];
const OF_EDITORS = /^\/operator\/(records|new-record|suggestions)\b/;

const agents = {} as Record<Who, Agent>;

beforeAll(async () => {
  agents.nobody = site.agent();
  for (const role of ["user", "editor", "operator"] as const)
    agents[role] = (await site.logIn(await site.createUser({ role }))).agent;
});

/** Each path below /operator, with values that lead nowhere: what is allowed is answered 404 or 400, and changes nothing. */
const actions = () =>
  routePathsOf(site.app.express)
    .filter((path) => path.startsWith("/operator"))
    .map((path) => path.replace(":kind", "items").replaceAll(/:\w+/g, "0"));

/** Who gets past the check of roles; undefined: nobody can ask so. */
async function allowed(ask: (agent: Agent) => request.Test): Promise<string[] | undefined> {
  const statuses = await Promise.all(
    Object.entries(agents).map(async ([who, agent]) => [who, await statusOf(ask(agent))] as const),
  );
  if (statuses.every(([, status]) => status === 405)) return undefined;
  return statuses.filter(([, status]) => status !== "log in" && status !== 403).map(([who]) => who);
}

async function statusOf(test: request.Test): Promise<number | "log in"> {
  const { status, headers } = await test;
  // 401: the log-in brings a typed form back.
  return status === 401 || (status === 303 && headers.location?.startsWith("/login")) ? "log in" : status;
}

describe("what each role may do", () => {
  it("is this, for every page of operators and every form on it", async () => {
    const table: Record<string, { read?: string[] | undefined; write?: string[] | undefined }> = {};
    for (const path of actions()) {
      table[path] = {
        read: await allowed((agent) => agent.get(path)),
        write: await allowed((agent) => agent.post(path).type("form").send({ step: "preview" })),
      };
    }
    const whoever = Object.entries(table).map(([path, { read, write }]) => {
      const who = OF_EDITORS.test(path) ? EDITORS : OPERATORS;
      return [path, { read: read && who, write: write && who }];
    });
    expect(table).toEqual(Object.fromEntries(whoever));
    expect(Object.keys(table).length).toBeGreaterThan(20);
  });
});
