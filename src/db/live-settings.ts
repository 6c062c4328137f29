import { isDeepStrictEqual } from "node:util";
import { type StorableConfig, type StoredSettings, withStored } from "../settings/stored.ts";
import { setHiddenSections } from "../words/kinds/hidden-sections.ts";
import type { Db } from "./connect.ts";
import { readStored } from "./site-settings-queries.ts";

/** The effective settings of this process: those of its environment, and for the rest those that operators have saved. */
export class LiveSettings<Settings extends StorableConfig & { readonly sessionSecret: string }> {
  readonly #own: Settings;
  readonly #listeners: (() => void)[] = [];
  #stored: StoredSettings = {};
  #config: Settings;
  #followed: string | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(own: Settings) {
    this.#own = own;
    this.#config = own;
  }

  get config(): Settings {
    return this.#config;
  }

  /** Calls `work` after each change. */
  onChange(work: () => void): void {
    this.#listeners.push(work);
  }

  /** Reads what was saved, unless that was read at this version of the change feed. */
  async follow(db: Db, version?: string): Promise<void> {
    if (version !== undefined && version === this.#followed) return;
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read(db, version));
    await this.#reading;
  }

  async #read(db: Db, version: string | undefined): Promise<void> {
    const { stored } = await readStored(db, this.#own.sessionSecret);
    if (!isDeepStrictEqual(stored, this.#stored)) {
      this.#config = withStored(this.#own, stored);
      setHiddenSections(this.#config.sectionsOff);
      for (const work of this.#listeners) work();
      // Last, so that work that failed is done again.
      this.#stored = stored;
    }
    this.#followed = version;
  }
}
