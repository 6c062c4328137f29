export const SORT_WORDS = {
  match: "catalogue.list.sorts.match",
  name: "catalogue.list.sorts.name",
  newest: "catalogue.list.sorts.newest",
  popularity: "catalogue.list.sorts.popularity",
} as const;

export const PROBLEM_WORDS = {
  not_a_number: "catalogue.filters.problems.not_a_number",
  below_lowest: "catalogue.filters.problems.below_lowest",
  not_a_value: "catalogue.filters.problems.not_a_value",
} as const;
