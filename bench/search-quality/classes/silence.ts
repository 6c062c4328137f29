import type { QueryClass } from "../query-class.ts";

const NOBODY = { includes: () => false, count: 0 };

/** Words of a language that no name has: what is shown for them is related by nothing but letters. */
export const silenceClasses = [ordinaryWords("English", "en"), ordinaryWords("Russian", "ru")];

function ordinaryWords(label: string, language: "en" | "ru"): QueryClass {
  return {
    name: `ordinary words, ${label}`,
    targets: [{ metric: "empty", atLeast: 92, withoutPeers: true }],
    fits: ({ script }) => script === (language === "ru" ? "cyrillic" : "latin"),
    make(_name, random, catalogue) {
      const text = random.pick(catalogue.ordinaryWords(language));
      return { text, meant: "nothing", hits: NOBODY, relevant: NOBODY };
    },
  };
}
