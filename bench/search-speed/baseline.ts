/**
 * The baselines: two bare Express apps, each in its own process.
 *
 *   answers: `res.json` of the site's answers, in turn: the same bytes without any work
 *   row: one SELECT by primary key per request, through a pool of ten connections, and `res.json` of the row
 */
import type { AddressInfo } from "node:net";
import express from "express";
import pg from "pg";

const [role, databaseUrl = ""] = process.argv.slice(2);
const app = express();
if (role === "row") answerRows();
else repeatAnswers();
const server = app.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());

function answerRows(): void {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  app.get("/items/:id", async (req, res) => {
    const { rows } = await pool.query("select * from items where id = $1", [req.params.id]);
    res.json(rows[0]);
  });
}

function repeatAnswers(): void {
  let answers: unknown[] = [];
  let next = 0;
  process.on("message", (message: unknown[]) => {
    answers = message;
    process.send?.("ready");
  });
  app.get("/answer", (_req, res) => {
    next = (next + 1) % answers.length;
    res.json(answers[next]);
  });
}
