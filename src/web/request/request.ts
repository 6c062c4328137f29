import type { Logger } from "pino";
import type { Language } from "../../words/i18n/languages.ts";
import type { AnswerScope } from "../answers/answer-scope.ts";
import type { Site } from "../look/site.ts";
import type { PageSuggestions } from "../pages/error-page.ts";
import type { HttpError } from "../pages/errors.ts";
import type { Viewer } from "../pages/page.ts";
import type { Target } from "../server/target.ts";
import type { AccessConfirmation, Caller } from "../session/auth.ts";
import type { PendingFields, PendingForm } from "./pending-form.ts";

/** A file that somebody sent by a form. */
export interface Upload {
  /** The name on the sender's system, without folders and invisible characters. */
  readonly name: string;
  /** Cut off behind the limit if `isTooLarge`. */
  readonly bytes: Buffer;
  readonly isTooLarge: boolean;
}

/** The properties that middleware adds to Express' requests, in their order. */
declare module "express-serve-static-core" {
  interface Request {
    target: Target;
    /** Set for a request that reads (see remembered-answers.ts). */
    answerScope?: AnswerScope;
    /** Why the request is refused before anything else. */
    refusal?: HttpError;
    /** The value of `X-Request-Id`. */
    id: string;
    /** The client's address, behind a proxy by TRUST_PROXY. Known even when the connection is gone. */
    address: string;
    /** The site's log, with this request in each line. */
    readonly log: Logger;
    /** The logger of `logSecurity`. */
    securityLog: Logger;
    /** It was refused under load. */
    isShed?: boolean;
    /** The error that was answered. */
    failure?: HttpError;
    /** The language of the path (`/ru/items`); undefined: the path leaves it open. */
    pathLanguage: Language | undefined;
    site: Site;
    caller: Caller;
    /** See `AccessConfirmation`. */
    confirmAccess: AccessConfirmation;
    /** Looks up again who sent the request, after a body that may have taken long; undefined: nobody was known. */
    recheckCaller?: () => Promise<void>;
    /** The path holds a secret, which no answer may repeat. */
    hasSecretPath?: boolean;
    /** Set on pages only; undefined for a visitor. */
    viewer: Viewer | undefined;
    /** Finds the viewer's favorites among these records, by their marks, with their wishes; set with `viewer`. */
    findFavorites?: (marks: readonly string[]) => Promise<ReadonlyMap<string, string>>;
    /** The answer is only for logged-in users. */
    needsLogin?: boolean;
    /** Finds what a path may have meant that is not there; set on pages only. */
    suggestPages?: () => Promise<PageSuggestions>;
    /** The fields that a form keeps. */
    pendingFields?: PendingFields;
    /** The form is only shown again, as it was typed before the log-in: nothing may be saved. */
    isReplay?: boolean;
    /** Asks a visitor for a log-in that brings back what they typed (see src/accounts/typed-form.ts). */
    askLogIn?: (typed: PendingForm) => Promise<void>;
    /** Set by `readUpload`; undefined: the form came without a file. */
    upload?: Upload;
  }
}
