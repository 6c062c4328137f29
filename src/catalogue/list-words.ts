/** The texts of lists that differ by kind, by their keys. */
export const LIST_WORDS = {
  items: {
    count: "catalogue.list.counts.items",
    none: "catalogue.list.none.items",
    all: "catalogue.list.all.items",
  },
  vehicles: {
    count: "catalogue.list.counts.vehicles",
    none: "catalogue.list.none.vehicles",
    all: "catalogue.list.all.vehicles",
  },
  scripts: {
    count: "catalogue.list.counts.scripts",
    none: "catalogue.list.none.scripts",
    all: "catalogue.list.all.scripts",
  },
  houses: {
    count: "catalogue.list.counts.houses",
    none: "catalogue.list.none.houses",
    all: "catalogue.list.all.houses",
  },
  businesses: {
    count: "catalogue.list.counts.businesses",
    none: "catalogue.list.none.businesses",
    all: "catalogue.list.all.businesses",
  },
} as const;

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
