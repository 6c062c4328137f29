import type { Logger } from "pino";
import type { SessionUser } from "../../db/sessions.ts";
import type { Language } from "../../words/i18n/languages.ts";
import type { AnswerScope } from "../answers/answer-scope.ts";
import type { Site } from "../look/site.ts";
import type { PageSuggestions } from "../pages/error-page.ts";
import type { HttpError } from "../pages/errors.ts";
import type { Target } from "../server/target.ts";
import type { AccessConfirmation, Caller } from "../session/auth.ts";
import type { PendingFields, PendingForm } from "./pending-form.ts";

/** A file sent by a form. */
export interface Upload {
  /** The name on the sender's system, without folders and invisible characters. */
  readonly name: string;
  /** Truncated at the limit if `isTooLarge`. */
  readonly bytes: Buffer;
  readonly isTooLarge: boolean;
}

/** The properties that middleware adds to Express requests, in their order. */
declare module "express-serve-static-core" {
  interface Request {
    target: Target;
    /** Set for a reading request (see remembered-answers.ts). */
    answerScope?: AnswerScope;
    /** Why the request is refused before any other check. */
    refusal?: HttpError;
    /** The value of `X-Request-Id`. */
    id: string;
    /** The client's address, found behind a proxy by TRUST_PROXY. Known even after the connection is gone. */
    address: string;
    /** The site's log; each line contains this request. */
    readonly log: Logger;
    /** The logger of `logSecurity`. */
    securityLog: Logger;
    /** True if it was refused under load. */
    isShed?: boolean;
    failure?: HttpError;
    /** The language of the path (`/ru/items`); undefined if the path leaves it open. */
    pathLanguage: Language | undefined;
    site: Site;
    caller: Caller;
    /** See `AccessConfirmation`. */
    confirmAccess: AccessConfirmation;
    /** Looks up the sender again, after a body that may have taken long; undefined if no sender was known. */
    recheckCaller?: () => Promise<void>;
    /** Whether the path contains a secret, which no response may repeat. */
    hasSecretPath?: boolean;
    /** Set on pages only; undefined for a visitor. */
    viewer: SessionUser | undefined;
    /**
     * Finds the viewer's favorites among these records, by their marks, with their target prices; set with `viewer`.
     */
    findFavorites?: (marks: readonly string[]) => Promise<ReadonlyMap<string, string>>;
    /** True if the response is only for logged-in users. */
    needsLogin?: boolean;
    /** Finds suggestions for a missing path; set on pages only. */
    suggestPages?: () => Promise<PageSuggestions>;
    /** The fields that a form keeps. */
    pendingFields?: PendingFields;
    /** Whether the form is only shown again, as typed before the log-in: nothing may be saved. */
    isReplay?: boolean;
    /** Requests a log-in that returns to the form as typed (see src/accounts/log-in.ts). */
    askLogIn?: (typed: PendingForm) => Promise<void>;
    /** Set by `readUpload`; undefined if the form had no file. */
    upload?: Upload;
  }
}
