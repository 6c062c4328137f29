import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type { Knex } from "knex";
import type * as limiters from "rate-limiter-flexible";
import type { RateLimiterPostgres } from "rate-limiter-flexible";
import { selectRow } from "../db/rows.ts";
import { lazyPackage } from "../settings/lazy-package.ts";
import { localeOf } from "../web/request/locale.ts";
import { networkOf } from "../web/server/client-address.ts";

const loadLimiters = lazyPackage<typeof limiters>("rate-limiter-flexible");

const MINUTES = 60;

/**
 * Wrong passwords for one account from one address: 960 guesses a day. No limit counts an account over all addresses,
 * because then anyone could lock anyone else out.
 */
const LOG_INS_PER_ACCOUNT = { points: 10, duration: 15 * MINUTES };

/** Wrong passwords from one address for all accounts: enough for a classroom, too few for trying many names. */
const LOG_INS_PER_ADDRESS = { points: 100, duration: 60 * MINUTES };

const REGISTRATIONS_PER_ADDRESS = { points: 20, duration: 60 * MINUTES };

/**
 * Mails to one address on request, so that nobody can fill a stranger's inbox. If a stranger uses them up, the owner has
 * five mails with working links.
 */
const MAILS_PER_ADDRESS = { points: 5, duration: 60 * MINUTES };

/** Requests for a new password from one network, for any addresses. */
const PASSWORD_REQUESTS_PER_NETWORK = { points: 20, duration: 60 * MINUTES };

/** Confirmations for one account, for any addresses. */
const CONFIRMATIONS_PER_ACCOUNT = { points: 5, duration: 60 * MINUTES };

/** Polls that one operator asks for: enough to try a list of servers, too few to look for open ports. */
const SERVER_TESTS_PER_ACCOUNT = { points: 60, duration: 10 * MINUTES };

/** Reports of mistakes without an account from one network. */
const REPORTS_PER_NETWORK = { points: 10, duration: 60 * MINUTES };

/** Counters of attempts, in the database, so that all processes count together and a restart resets nothing. */
export interface AttemptLimits {
  /**
   * Counts an attempt to log in.
   * @returns seconds to wait; 0 if the attempt is allowed
   */
  countLogIn(name: string, address: string): Promise<number>;
  /** Undoes the count of an attempt whose password was not checked. */
  takeBackLogIn(name: string, address: string): Promise<void>;
  /** Undoes the counts of an attempt with the right password, and of the wrong ones before it. */
  forgiveLogIn(name: string, address: string): Promise<void>;
  /** Resets wrong passwords for an account from an address, after a new password. */
  forgetWrongPasswords(name: string, address: string): Promise<void>;
  /**
   * Counts a request for a new password.
   * @returns seconds to wait; 0 if it is allowed
   */
  countPasswordRequest(email: string, address: string): Promise<number>;
  /**
   * Counts a mail that confirms an e-mail address.
   * @returns seconds to wait; 0 if it is allowed
   */
  countConfirmation(userId: number, email: string): Promise<number>;
  /** The same for a new account. */
  countFirstConfirmation(email: string): Promise<number>;
  /** The same for a poll that an operator asks for. */
  countServerTest(userId: number): Promise<number>;
  /** The same for a report of a mistake without an account. */
  countReport(address: string): Promise<number>;
  /**
   * Counts a new account.
   * @returns seconds to wait; 0 if it is allowed
   */
  countRegistration(address: string): Promise<number>;
  /** Undoes the count of a new account that could not be created. */
  takeBackRegistration(address: string): Promise<void>;
}

type Limiter = () => RateLimiterPostgres;

/** `name` is the account's key (see `nameKey`). Every function throws the database's error while it is down. */
export function createAttemptLimits(db: Knex): AttemptLimits {
  const limiter = (keyPrefix: string, limit: { points: number; duration: number }): Limiter => {
    let made: RateLimiterPostgres | undefined;
    return () => {
      const { RateLimiterPostgres } = loadLimiters();
      made ??= new RateLimiterPostgres({
        ...limit,
        keyPrefix,
        storeClient: db,
        storeType: "knex",
        tableName: "rate_limits",
        tableCreated: true,
        // accounts/queries.ts removes expired rows, in one process and not in each.
        clearExpiredByTimeout: false,
      });
      return made;
    };
  };
  const count = async (of: Limiter, key: string): Promise<number> => {
    try {
      await of().consume(key);
      return 0;
    } catch (refused) {
      if (!(refused instanceof loadLimiters().RateLimiterRes)) throw refused;
      // A refused attempt does not count, or parallel attempts would lengthen each other's wait.
      await takeBack(db, of, key);
      return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    }
  };
  const byAccount = limiter("login-account", LOG_INS_PER_ACCOUNT);
  const byAddress = limiter("login-address", LOG_INS_PER_ADDRESS);
  const registrations = limiter("register-address", REGISTRATIONS_PER_ADDRESS);
  const passwordMails = limiter("password-mail", MAILS_PER_ADDRESS);
  const passwordRequests = limiter("password-network", PASSWORD_REQUESTS_PER_NETWORK);
  const confirmationMails = limiter("confirmation-mail", MAILS_PER_ADDRESS);
  const confirmations = limiter("confirmation-account", CONFIRMATIONS_PER_ACCOUNT);
  const serverTests = limiter("server-test", SERVER_TESTS_PER_ACCOUNT);
  const reports = limiter("report-network", REPORTS_PER_NETWORK);
  const countConfirmationMail = async (email: string) => count(confirmationMails, await mailKey(db, email));
  return {
    // The account first, so that repeated attempts at one account do not use up a household's address.
    countLogIn: async (name, address) => {
      const wait = await count(byAccount, counterKey(address, name));
      if (wait > 0) return wait;
      const waitOfAll = await count(byAddress, counterKey(address));
      if (waitOfAll > 0) await takeBack(db, byAccount, counterKey(address, name));
      return waitOfAll;
    },
    takeBackLogIn: async (name, address) => {
      await takeBack(db, byAccount, counterKey(address, name));
      await takeBack(db, byAddress, counterKey(address));
    },
    forgiveLogIn: async (name, address) => {
      await byAccount().delete(counterKey(address, name));
      // Only its own point, or an attacker could reset the counter by logging in to an account of their own.
      await takeBack(db, byAddress, counterKey(address));
    },
    forgetWrongPasswords: async (name, address) => {
      await byAccount().delete(counterKey(address, name));
    },
    // The network first: one without attempts left must not use up those of an address.
    countPasswordRequest: async (email, address) =>
      (await count(passwordRequests, counterKey(address))) ||
      (await count(passwordMails, await mailKey(db, email))),
    countConfirmation: async (userId, email) =>
      (await count(confirmations, String(userId))) || (await countConfirmationMail(email)),
    countFirstConfirmation: countConfirmationMail,
    countServerTest: (userId) => count(serverTests, String(userId)),
    countReport: (address) => count(reports, counterKey(address)),
    countRegistration: (address) => count(registrations, counterKey(address)),
    takeBackRegistration: (address) => takeBack(db, registrations, counterKey(address)),
  };
}

/** The client's address, found behind a proxy by TRUST_PROXY. */
export function requestAddress(req: Request): string {
  return req.address;
}

/** The message about a limit, with the waiting time: `40 seconds`, `15 minutes`. Sets `Retry-After`, too. */
export function tooOftenText(
  req: Request,
  res: Response,
  key:
    | "accounts.log_in.too_often"
    | "accounts.register.too_often"
    | "accounts.forgotten.too_often"
    | "accounts.error.too_many_mails"
    | "accounts.error.wrong_too_often"
    | "suggestions.too_often",
  seconds: number,
): string {
  res.set("Retry-After", String(seconds));
  const { t } = localeOf(req);
  const isShort = seconds < 60;
  const count = isShort ? seconds : Math.ceil(seconds / 60);
  return t(key, { wait: t(isShort ? "accounts.wait.seconds" : "accounts.wait.minutes", { count }) });
}

/**
 * Removes one point, never below zero. The limiter's own `reward` goes below zero if the counter was deleted meanwhile,
 * which would grant an extra attempt.
 */
async function takeBack(db: Knex, limiter: Limiter, key: string): Promise<void> {
  await db("rate_limits")
    .where({ key: limiter().getKey(key) })
    .where("points", ">", 0)
    .decrement("points");
}

/** Hashed, so that keys are short and a password typed as a name is not stored. */
function counterKey(address: string, name = ""): string {
  return computeHash(`${networkOf(address)}\n${name}`);
}

/**
 * The key of a normalised address (`mailAddress`), ignoring case like mail servers. The database folds case as in
 * `listOwners`, because letters such as İ and i are the same there, but not here.
 */
async function mailKey(db: Knex, email: string): Promise<string> {
  const row = await selectRow<{ email: string }>(db, "select lower(?) as email", [email]);
  return computeHash(row.email);
}

function computeHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
