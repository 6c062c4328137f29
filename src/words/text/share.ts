/**
 * A share of 0 to 1, rounded to so many decimals of its per cent. One that is nearly none or nearly all stays beside the
 * end of the scale: an hour of outage in 90 days is no uptime of 100%.
 */
export function roundShare(share: number, decimals: number): number {
  const steps = 100 * 10 ** decimals;
  const rounded = Math.round(share * steps);
  const isBetween = share > 0 && share < 1;
  return (isBetween ? Math.min(Math.max(rounded, 1), steps - 1) : rounded) / steps;
}
