const dateTime = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
const dateOnly = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const numbers = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 4 });

/** `21 Nov 2026, 14:05 UTC` */
export function time(value: Date | string): string {
  return `${dateTime.format(new Date(value))} UTC`;
}

/** `21 Nov 2026` */
export function date(value: Date | string): string {
  return dateOnly.format(new Date(value));
}

/** `12,345.6`; a figure that is not known is a dash, never 0. */
export function number(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : numbers.format(value);
}

/** `12 %` of a share from 0 to 1. */
export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${numbers.format(Math.round(value * 1000) / 10)} %`;
}

/** `499.00 EUR`. Prices are decimal texts and stay so: no arithmetic on floats. */
export function money(price: string | null, currency: string): string {
  if (price === null) return "–";
  const [whole = "0", fraction] = price.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${currency}`;
}

/** `top_speed_kmh` as a person reads it: `Top speed kmh`. */
export function label(key: string): string {
  const words = key
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An attribute's value as a person reads it: booleans as words, lists with commas, nothing as a dash. */
export function attribute(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(attribute).join(", ");
  if (typeof value === "object") {
    if (Object.keys(value).length === 0) return "–";
    return Object.entries(value)
      .map(([key, part]) => `${label(key)}: ${attribute(part)}`)
      .join("; ");
  }
  return String(value);
}
