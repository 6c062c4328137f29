import { exactLengthText } from "../../records/prices/sale-words.ts";
import { shownName } from "../../records/shown-name.ts";
import { shownTitle } from "../../records/shown-title.ts";
import { formatFor } from "../../web/request/format.ts";
import type { Locale } from "../../web/request/locale.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import type { DiscountPreview } from "../discount-preview.ts";
import { clockShift } from "../local-times.ts";
import type { ReadForm } from "./form.ts";

/** A preview for its view. */
export function describePreview(
  preview: DiscountPreview,
  { input, zone, repeated }: ReadForm,
  { t, language }: Pick<Locale, "t" | "language">,
) {
  const { startsAt, endsAt, isAtOnce } = preview.plan;
  const [local, utc] = [formatFor(language, zone), formatFor(language)];
  const inBoth = (at: Date) => ({ local: local.time(at), utc: utc.time(at) });
  return {
    preview,
    shown: shownName(preview.item, language),
    title: shownTitle(preview.plan, language),
    zone,
    starts: {
      ...inBoth(startsAt),
      isAtOnce,
      hasPassed: isAtOnce && input.startsAt !== null,
      isRepeated: repeated.starts,
    },
    ends: endsAt && { ...inBoth(endsAt), isRepeated: repeated.ends },
    length: endsAt && exactLengthText(t, endsAt.getTime() - startsAt.getTime()),
    shift: endsAt ? shiftText(t, zone, clockShift(startsAt, endsAt, zone)) : undefined,
    rivals: preview.rivals.map((rival) => ({
      ...rival,
      title: shownTitle(rival.discount, language) ?? { text: rival.discount.id, lang: undefined },
      from: local.time(rival.discount.starts_at),
      until: rival.discount.ends_at && local.time(rival.discount.ends_at),
    })),
  };
}

/** Explains a surprising length: a day on which clocks go forward has 23 hours. */
function shiftText(t: Translate, zone: string, minutes: number): string | undefined {
  if (minutes === 0) return undefined;
  const by = exactLengthText(t, Math.abs(minutes) * 60_000);
  return minutes > 0 ? t("operator.preview.forward", { zone, by }) : t("operator.preview.back", { zone, by });
}
