/** One record of an answer. */
interface Answer {
  id: string;
  /** Its names and whatever tells why it was found, for people. */
  label: string;
}

export interface Reply {
  /** At most ten, best first. */
  answers: Answer[];
  /** What went wrong, where the engine could not answer. */
  failed?: string;
}

/** A search under test. */
export interface Engine {
  name: string;
  search(text: string): Promise<Reply>;
}

export const ANSWERS = 10;
